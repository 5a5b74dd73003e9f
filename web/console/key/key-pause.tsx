import { type ApiKey, nameOf } from '../keys/api-key.ts';
import { Button } from '../ui/button.tsx';
import { focusSomewhere } from '../ui/focus.ts';
import { useHost, useLanguage, useMayChange } from '../ui/host.ts';
import { Moment } from '../ui/moment.tsx';
import { useUndo } from '../ui/notice.tsx';
import { ProblemNote } from '../ui/problem-note.tsx';
import { useAction } from '../ui/use-action.ts';
import { pauseApiKeyMutation, resumeApiKeyMutation } from './documents.ts';

/** Says since when a key is paused, by whom and why. Its owner resumes it with one click, and can undo that. */
export function KeyPause({ apiKey }: { readonly apiKey: ApiKey }) {
  const { request, refresh, notify, setParams, root, language, useAccount } = useHost();
  const { text } = language;
  const canEdit = useMayChange();
  const { pausedAt, pausedBy, pauseReason } = apiKey;
  const { organization } = useAccount();
  const isByMember = pausedBy === 'OWNER' && organization !== undefined;
  const { run, pending, problem } = useAction();
  const tell = useUndo();
  const pauseAgain = (reason: string | null) =>
    run(async () => {
      await request(pauseApiKeyMutation, { keyId: apiKey.id, reason });
      await refresh();
      notify(text('key.paused', { name: nameOf(language, apiKey) }));
    });
  const resume = () =>
    run(async () => {
      await request(resumeApiKeyMutation, { keyId: apiKey.id });
      await refresh();
      const reason = pausedBy === 'SCANNER' ? text('key.found-in-public') : pauseReason;
      tell(text('key.resumed', { name: nameOf(language, apiKey) }), () => void pauseAgain(reason));
      // The button is gone.
      focusSomewhere(root);
    });
  if (pausedAt === null) return <ProblemNote problem={problem} />;
  return (
    <section className="answer" aria-label={text('key.pause-section')}>
      <p>
        <strong>{text('key.paused-by', { by: isByMember ? 'MEMBER' : (pausedBy ?? 'other') })}</strong>{' '}
        <Moment at={pausedAt} />
      </p>
      {pauseReason !== null && (
        <p>
          <bdi>{pauseReason}</bdi>
        </p>
      )}
      <Advice pausedBy={pausedBy} />
      <div className="actions">
        {canEdit && pausedBy === 'SCANNER' && (
          <Button onClick={() => setParams({ do: 'rotate' })}>{text('key.rotate')}</Button>
        )}
        {canEdit && pausedBy !== 'OPERATOR' && (
          <Button pending={pending} onClick={resume}>
            {text('key.resume')}
          </Button>
        )}
      </div>
      <ProblemNote problem={problem} />
    </section>
  );
}

/** What an owner should know before they resume a key. */
function Advice({ pausedBy }: Pick<ApiKey, 'pausedBy'>) {
  const { text } = useLanguage();
  const canEdit = useMayChange();
  if (pausedBy === 'OPERATOR') return <p className="hint">{text('key.resume-by-provider')}</p>;
  if (pausedBy !== 'SCANNER' || !canEdit) return null;
  return <p className="hint">{text('key.resume-leaked')}</p>;
}
