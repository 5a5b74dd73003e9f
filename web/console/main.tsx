import { render } from 'preact/compat';
import { createLanguage } from '../messages/language.ts';
import { loadMessages } from '../messages/load-messages.ts';
import { speak } from '../shared/page-language.ts';
import { resumeSession } from '../sign-in/resume-session.ts';
import { settings } from '../sign-in/settings.ts';
import { App } from './app.tsx';
// These come after the styles that all pages share, because they change some of them.
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/layout.css';
import './styles/problem.css';
import './styles/cards.css';
import './styles/views.css';
import './styles/keys.css';
import './styles/key-page.css';
import './styles/usage.css';
import './styles/dialog.css';

const container = document.getElementById('root');
const { language } = settings;
if (language) {
  const { locale, main, later } = language;
  speak(createLanguage(locale, main, async (part) => (await loadMessages(later[part])).messages));
}
void resumeSession();
if (container) render(<App />, container);
