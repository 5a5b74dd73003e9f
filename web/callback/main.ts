import { channelName } from '../sign-in/callback-channel.ts';
import { keepQuestion, takeQuestion } from '../sign-in/kept-sign-in.ts';

const answer = location.search;
const question = takeQuestion();
if (question && question.state === new URLSearchParams(answer).get('state')) {
  keepQuestion({ ...question, answer });
  location.replace(question.page);
} else {
  // The page that opened this window waits for the code. Without the verifier, the code is of no use to anyone.
  new BroadcastChannel(channelName).postMessage(answer);
  history.replaceState(null, '', location.pathname);
  window.close();
}
