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

const container = document.getElementById('root');
const { language } = settings;
const load = async (part: MessagePart) => (await loadMessages(language?.messages[part] ?? '')).messages;

/** Shown if there are no words to show anything else. */
const Unloaded = () => (
  <p role="alert" lang="en">
    The console could not be loaded. Reload the page and try again.
  </p>
);

async function start(root: HTMLElement): Promise<void> {
  try {
    speak(createLanguage(language?.locale ?? '', await load('main'), load));
  } catch {
    render(<Unloaded />, root);
    return;
  }
  void resumeSession();
  render(<App />, root);
}

if (container) void start(container);
