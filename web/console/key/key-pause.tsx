import { type ApiKey, nameOf } from '../keys/api-key.ts';
import { pauseApiKeyMutation, resumeApiKeyMutation } from '../keys/documents.ts';
import { pauserOf } from '../keys/pauser-of.ts';
import { Button } from '../ui/button.tsx';
import { focusSomewhere } from '../ui/focus.ts';
import { useHost } from '../ui/host.ts';
import { Moment } from '../ui/moment.tsx';
import { useUndo } from '../ui/notice.tsx';
import { ProblemNote } from '../ui/problem-note.tsx';
import { useAction } from '../ui/use-action.ts';

/** Says since when a key is paused, by whom and why. Its owner resumes it with one click, and can undo that. */
export function KeyPause({ apiKey }: { readonly apiKey: ApiKey }) {
  const { request, refresh, notify, setParams, root } = useHost();
  const { pausedAt, pausedBy, pauseReason } = apiKey;
  const { run, pending, problem } = useAction();
  const tell = useUndo();
  const pauseAgain = (reason: string | null) =>
    run(async () => {
      await request(pauseApiKeyMutation, { keyId: apiKey.id, reason });
      await refresh();
      notify(`${nameOf(apiKey)} is paused.`);
    });
  const resume = () =>
    run(async () => {
      await request(resumeApiKeyMutation, { keyId: apiKey.id });
      await refresh();
      const reason = pausedBy === 'SCANNER' ? 'It was found in public.' : pauseReason;
      tell(`${nameOf(apiKey)} was resumed.`, () => void pauseAgain(reason));
      // The button is gone.
      focusSomewhere(root);
    });
  if (pausedAt === null) return <ProblemNote problem={problem} />;
  return (
    <section className="answer" aria-label="Pause">
      <p>
        <strong>Paused {pausedBy === 'OWNER' ? 'by you' : pauserOf(pausedBy)}</strong>{' '}
        <Moment at={pausedAt} />
      </p>
      {pauseReason !== null && (
        <p>
          <bdi>{pauseReason}</bdi>
        </p>
      )}
      <Advice pausedBy={pausedBy} />
      <div className="actions">
        {pausedBy === 'SCANNER' && <Button onClick={() => setParams({ do: 'rotate' })}>Rotate…</Button>}
        {pausedBy !== 'OPERATOR' && (
          <Button pending={pending} onClick={resume}>
            Resume
          </Button>
        )}
      </div>
      <ProblemNote problem={problem} />
    </section>
  );
}

/** What an owner should know before they resume a key. */
function Advice({ pausedBy }: Pick<ApiKey, 'pausedBy'>) {
  if (pausedBy === 'OPERATOR') return <p className="hint">Only your provider can resume it.</p>;
  if (pausedBy !== 'SCANNER') return null;
  return (
    <p className="hint">
      Others may know its secret. Rotate the key, so that the secret stops for good. Then resume it.
    </p>
  );
}
