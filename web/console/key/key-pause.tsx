import { useEffect, useRef } from 'preact/compat';
import { refresh } from '../api/query-client.ts';
import { request } from '../api/request.ts';
import { type ApiKey, nameOf } from '../keys/api-key.ts';
import { pauseApiKeyMutation, resumeApiKeyMutation } from '../keys/documents.ts';
import { pauserOf } from '../keys/pauser-of.ts';
import { Button } from '../ui/button.tsx';
import { Moment } from '../ui/moment.tsx';
import { clearNotice, notify } from '../ui/notice.tsx';
import { ProblemNote } from '../ui/problem-note.tsx';
import { useAction } from '../ui/use-action.ts';

/** Says since when a key is paused, by whom and why. Its owner resumes it with one click, and can undo that. */
export function KeyPause({ apiKey }: { readonly apiKey: ApiKey }) {
  const { pausedAt, pausedBy, pauseReason } = apiKey;
  const { run, pending, problem } = useAction();
  // Undo belongs to this page, which shows if it fails.
  const isShown = useRef(true);
  useEffect(
    () => () => {
      isShown.current = false;
      clearNotice();
    },
    [],
  );
  const pauseAgain = () =>
    run(async () => {
      await request(pauseApiKeyMutation, { keyId: apiKey.id, reason: pauseReason });
      await refresh();
      notify(`${nameOf(apiKey)} is paused.`);
    });
  const resume = () =>
    run(async () => {
      await request(resumeApiKeyMutation, { keyId: apiKey.id });
      await refresh();
      notify(`${nameOf(apiKey)} was resumed.`, isShown.current ? () => void pauseAgain() : undefined);
    });
  const isPaused = pausedAt !== null;
  if (!isPaused && !problem) return null;
  return (
    <section className="answer" aria-label="Pause">
      {isPaused && (
        <p>
          Paused {pauserOf(pausedBy)} <Moment at={pausedAt} />
          {pauseReason === null ? '.' : ': '}
          {pauseReason !== null && <bdi>{pauseReason}</bdi>}
        </p>
      )}
      {isPaused && pausedBy === 'SCANNER' && (
        <p>Others may know its secret. Rotate the key, then resume it.</p>
      )}
      {isPaused && pausedBy === 'OPERATOR' && <p>Only your provider can resume it.</p>}
      {isPaused && pausedBy !== 'OPERATOR' && (
        <div className="actions">
          <Button pending={pending} onClick={resume}>
            Resume
          </Button>
        </div>
      )}
      <ProblemNote problem={problem} />
    </section>
  );
}
