import { Heading } from '../ui/heading.tsx';
import { useLanguage, useMayChange } from '../ui/host.ts';
import { Moment } from '../ui/moment.tsx';
import { type ApiKey, nameOf, pageOf, stateOf } from './api-key.ts';
import { type Finding, findSecret } from './find-secret.ts';
import { LastUse } from './last-use.tsx';

interface PastedSecretProps {
  readonly keys: readonly ApiKey[];
  /** Everything before the dot of the pasted text. */
  readonly prefix: string;
  readonly now: Date;
  /** Whether these are all keys, and no more are being read. */
  readonly isComplete: boolean;
}

/** Says whose secret was pasted into the search, for example after a leak, and offers to stop it. */
export function PastedSecret({ keys, prefix, now, isComplete }: PastedSecretProps) {
  const { rich } = useLanguage();
  const finding = findSecret(keys, prefix, now);
  // One of the others may be it.
  if (finding.kind === 'none' && !isComplete) return null;
  const works = finding.kind === 'current' || finding.kind === 'previous';
  return (
    <section className={works ? 'answer danger' : 'answer'} role="status">
      <Answer finding={finding} count={keys.length} prefix={prefix} now={now} />
      <p className="hint">
        {rich('key.pasted-compared', { count: prefix.length, prefix: <code>{prefix}</code> })}
      </p>
    </section>
  );
}

interface AnswerProps extends Omit<PastedSecretProps, 'keys' | 'isComplete'> {
  readonly finding: Finding;
  /** How many keys were compared. */
  readonly count: number;
}

function Answer({ finding, count, prefix, now }: AnswerProps) {
  switch (finding.kind) {
    case 'current':
      return <Current apiKey={finding.apiKey} now={now} />;
    case 'previous':
      return <Previous {...finding} prefix={prefix} now={now} />;
    case 'over':
      return <Over apiKey={finding.apiKey} now={now} />;
    case 'several':
      return <Several />;
    case 'none':
      return <None prefix={prefix} count={count} />;
  }
}

function Several() {
  const { text } = useLanguage();
  return (
    <>
      <Heading level={2}>{text('key.pasted-several')}</Heading>
      <p>{text('key.pasted-listed')}</p>
    </>
  );
}

function None({ prefix, count }: Pick<AnswerProps, 'prefix' | 'count'>) {
  const { text, rich } = useLanguage();
  return (
    <>
      <Heading level={2}>{rich('key.pasted-none', { prefix: <code>{prefix}</code> })}</Heading>
      <p>{text('key.pasted-none-why', { count })}</p>
    </>
  );
}

interface OfKeyProps {
  readonly apiKey: ApiKey;
  readonly now: Date;
}

interface TitleProps extends OfKeyProps {
  readonly kind: 'current' | 'previous' | 'over';
}

/** Whose secret it is, and whether that works now. */
function Title({ kind, apiKey, now }: TitleProps) {
  const language = useLanguage();
  return (
    <Heading level={2}>
      {language.rich(kind === 'previous' ? 'key.pasted-previous' : 'key.pasted-current', {
        name: <bdi>{nameOf(language, apiKey)}</bdi>,
        key: (content) => <a href={pageOf(apiKey)}>{content}</a>,
        state: kind === 'over' ? 'over' : stateOf(apiKey, now),
      })}
    </Heading>
  );
}

function Current({ apiKey, now }: OfKeyProps) {
  const { text } = useLanguage();
  const canEdit = useMayChange();
  return (
    <>
      <Title kind="current" apiKey={apiKey} now={now} />
      <LastUse apiKey={apiKey} />
      {canEdit && (
        <>
          <div className="actions">
            <a className="button danger" href={`${pageOf(apiKey)}?do=rotate-leaked`}>
              {text('key.pasted-rotate')}
            </a>
            <a className="button" href={`${pageOf(apiKey)}?do=deactivate`}>
              {text('key.pasted-deactivate')}
            </a>
          </div>
          <p className="hint">{text('key.pasted-advice', { state: stateOf(apiKey, now) })}</p>
        </>
      )}
    </>
  );
}

interface PreviousProps extends OfKeyProps {
  readonly prefix: string;
  readonly endsAt: string;
}

function Previous({ apiKey, prefix, endsAt, now }: PreviousProps) {
  const { text, rich, absolute } = useLanguage();
  const canEdit = useMayChange();
  const lastUsedAt = apiKey.secrets.find((secret) => secret.prefix === prefix)?.lastUsedAt ?? null;
  return (
    <>
      <Title kind="previous" apiKey={apiKey} now={now} />
      <p>
        {rich('key.pasted-previous-use', {
          state: stateOf(apiKey, now),
          end: absolute(new Date(endsAt)),
          use: lastUsedAt === null ? 'none' : 'some',
          moment: lastUsedAt !== null && <Moment at={lastUsedAt} />,
        })}
      </p>
      {canEdit && (
        <div className="actions">
          <a
            className="button danger"
            href={`${pageOf(apiKey)}?do=end-secret&secret=${encodeURIComponent(prefix)}`}
          >
            {text('key.pasted-end')}
          </a>
        </div>
      )}
    </>
  );
}

function Over({ apiKey, now }: OfKeyProps) {
  const { text } = useLanguage();
  return (
    <>
      <Title kind="over" apiKey={apiKey} now={now} />
      <p>{text('key.pasted-over-why', { state: stateOf(apiKey, now) })}</p>
    </>
  );
}
