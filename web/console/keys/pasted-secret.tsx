import type { ReactNode } from 'preact/compat';
import { absolute } from '../../shared/times.ts';
import { Heading } from '../ui/heading.tsx';
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
  const finding = findSecret(keys, prefix, now);
  // One of the others may be it.
  if (finding.kind === 'none' && !isComplete) return null;
  const works = finding.kind === 'current' || finding.kind === 'previous';
  return (
    <section className={works ? 'answer danger' : 'answer'} role="status">
      <Answer finding={finding} count={keys.length} prefix={prefix} now={now} />
      <p className="hint">
        Only the first {prefix.length} characters were compared, <code>{prefix}</code>. The pasted text did
        not leave this page.
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
      return (
        <>
          <Heading level={2}>Several keys begin like this.</Heading>
          <p>They are listed below.</p>
        </>
      );
    case 'none':
      return (
        <>
          <Heading level={2}>
            None of your keys begins with <code>{prefix}</code>.
          </Heading>
          <p>
            {count} keys were compared, with all their secrets that work. It may be a secret that has ended,
            or a key of another account or service.
          </p>
        </>
      );
  }
}

interface OfKeyProps {
  readonly apiKey: ApiKey;
  readonly now: Date;
}

const Title = ({ apiKey, what, children }: { apiKey: ApiKey; what: string; children: ReactNode }) => (
  <Heading level={2}>
    This is {what}
    <a href={pageOf(apiKey)}>
      <bdi>{nameOf(apiKey)}</bdi>
    </a>
    . {children}
  </Heading>
);

/** Whether a secret of a key works now. */
const works = ({ apiKey, now }: OfKeyProps): string =>
  stateOf(apiKey, now) === 'paused' ? 'The key is paused.' : 'It still works.';

const Current = ({ apiKey, now }: OfKeyProps) => (
  <>
    <Title apiKey={apiKey} what="">
      {works({ apiKey, now })}
    </Title>
    <LastUse apiKey={apiKey} />
    <div className="actions">
      <a className="button danger" href={`${pageOf(apiKey)}?do=rotate-leaked`}>
        Rotate and end this secret…
      </a>
      <a className="button" href={`${pageOf(apiKey)}?do=deactivate`}>
        Deactivate the key…
      </a>
    </div>
    <p className="hint">
      Rotate gives your program a new secret.
      {stateOf(apiKey, now) === 'paused' && ' Do so before you resume the key.'} Deactivate stops the key for
      good.
    </p>
  </>
);

interface PreviousProps extends OfKeyProps {
  readonly prefix: string;
  readonly endsAt: string;
}

const Previous = ({ apiKey, prefix, endsAt, now }: PreviousProps) => {
  const lastUsedAt = apiKey.secrets.find((secret) => secret.prefix === prefix)?.lastUsedAt ?? null;
  return (
    <>
      <Title apiKey={apiKey} what="a previous secret of ">
        {works({ apiKey, now })}
      </Title>
      <p>
        {stateOf(apiKey, now) === 'paused' ? 'It ends' : 'It works until'} {absolute(new Date(endsAt))}.{' '}
        {lastUsedAt === null ? (
          'It has not been used since.'
        ) : (
          <>
            Last used <Moment at={lastUsedAt} />.
          </>
        )}{' '}
        The current secret of the key is another one.
      </p>
      <div className="actions">
        <a
          className="button danger"
          href={`${pageOf(apiKey)}?do=end-secret&secret=${encodeURIComponent(prefix)}`}
        >
          End this secret now…
        </a>
      </div>
    </>
  );
};

const Over = ({ apiKey, now }: OfKeyProps) => (
  <>
    <Title apiKey={apiKey} what="">
      It no longer works.
    </Title>
    <p>
      {stateOf(apiKey, now) === 'expired' ? 'The key has expired.' : 'The key is inactive.'} Each request with
      it is refused. There is nothing left to do.
    </p>
  </>
);
