import './main.css';
import { render } from 'preact/compat';
import { TopBar } from '../shared/top-bar.tsx';
import { resumeSession } from '../sign-in/resume-session.ts';
import { chooseLanguage } from './page/choose-language.ts';
import { copyCode } from './page/copy-code.ts';
import { followLinks } from './page/follow-links.ts';
import { markCurrent } from './page/mark-current.ts';
import { openTryIt } from './page/open-try-it.ts';
import { search } from './page/search.ts';

void resumeSession();
render(<TopBar current="reference" />, document.getElementById('bar') as HTMLElement);

const root = document.querySelector('.reference') as HTMLElement;
chooseLanguage(root);
copyCode(root);
openTryIt(root);
followLinks(search(root));
// Nobody misses it in the first moment.
setTimeout(markCurrent, 500, root);
