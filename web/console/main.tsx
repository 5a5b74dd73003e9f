import { render } from 'preact/compat';
import { createLanguage, type MessagePart } from '../messages/language.ts';
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

void resumeSession();
const container = document.getElementById('root');
const { language } = settings;
const load = async (part: MessagePart) => (await loadMessages(language?.messages[part] ?? '')).messages;
if (container && language)
  load('main').then(
    (messages) => {
      speak(createLanguage(language.locale, messages, load));
      render(<App />, container);
    },
    () => container.append('The console could not be loaded. Reload the page and try again.'),
  );
