import type { ReactNode } from 'preact/compat';
import type { ApiKey } from '../keys/api-key.ts';
import { quotaInWords, rateInWords } from '../keys/limits-in-words.ts';
import { Button } from '../ui/button.tsx';
import { Heading } from '../ui/heading.tsx';
import { useHost } from '../ui/host.ts';
import { usePlace } from '../ui/use-place.ts';
import { ReasonSwatch } from '../usage/reason-pattern.tsx';
import { SpanChoice } from '../usage/span-choice.tsx';
import { Usage } from '../usage/usage.tsx';
import {
  inDigits,
  inWords,
  nameOfPeriod,
  type Span,
  sentenceCase,
  spanIn,
  totalOf,
  type UsagePoint,
} from '../usage/usage-points.ts';
import { UsageReport } from '../usage/usage-report.tsx';

/** How a key is used: a chart, and why uses were refused. */
export function KeyUse({ apiKey }: { readonly apiKey: ApiKey }) {
  const { setParams } = useHost();
  const span = spanIn(usePlace().params);
  return (
    <section className="key-section" part="section" aria-labelledby="key-use">
      <header>
        <Heading level={2} id="key-use">
          Use
        </Heading>
        <SpanChoice span={span} onChange={(range) => setParams({ range })} />
      </header>
      <Usage key={span} keyId={apiKey.id} span={span}>
        {(points) => (
          <>
            <UsageReport points={points} span={span} />
            <Refusals apiKey={apiKey} points={points} span={span} />
          </>
        )}
      </Usage>
    </section>
  );
}

interface RefusalsProps {
  readonly apiKey: ApiKey;
  readonly points: readonly UsagePoint[];
  readonly span: Span;
}

/** Why uses were refused: how often, when last, and what to do. */
function Refusals({ apiKey, points, span }: RefusalsProps) {
  const { reasons } = totalOf(points);
  if (reasons.size === 0) return null;
  return (
    <table className="refusals">
      <caption className="visually-hidden">Refused requests by reason</caption>
      <thead>
        <tr>
          <th scope="col">Refused</th>
          <th scope="col" className="count">
            Requests
          </th>
          <th scope="col">Last</th>
          <th scope="col">What to do</th>
        </tr>
      </thead>
      <tbody>
        {[...reasons].map(([reason, count]) => {
          const last = points.findLast((point) => (point.reasons.get(reason) ?? 0) > 0);
          return (
            <tr key={reason}>
              <th scope="row">
                <ReasonSwatch reason={reason} /> {sentenceCase(inWords(reason))}
              </th>
              <td className="count">{inDigits(count)}</td>
              <td>{last && nameOfPeriod(last.at, span)}</td>
              <td>
                <Remedy reason={reason} apiKey={apiKey} />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Edit({ part, children }: { readonly part: string; readonly children: ReactNode }) {
  const { setParams } = useHost();
  return (
    <Button look="quiet" onClick={() => setParams({ edit: part })}>
      {children}
    </Button>
  );
}

/** What a person can do against a refusal. */
function Remedy({
  reason,
  apiKey: { rateLimit, quota, pausedBy },
}: {
  readonly reason: string;
  readonly apiKey: ApiKey;
}) {
  switch (reason) {
    case 'rate_limited':
      return (
        <>
          {rateLimit && `The limit is ${rateInWords(rateLimit)}. `}
          <Edit part="rateLimit">Change the rate limit</Edit>
        </>
      );
    case 'quota_exceeded':
      return (
        <>
          {quota && `The quota is ${quotaInWords(quota)}. `}
          <Edit part="quota">Change the quota</Edit>
        </>
      );
    case 'insufficient_permissions':
      return (
        <>
          The program asks for more than the key may do. <Edit part="permissions">Change permissions</Edit>
        </>
      );
    case 'address_not_allowed':
      return (
        <>
          The request came from another address. <Edit part="allowedAddresses">Change addresses</Edit>
        </>
      );
    case 'paused':
      if (pausedBy === null) return <>The key was paused. It works again.</>;
      return <>{pausedBy === 'OPERATOR' ? 'Ask your provider to resume the key.' : 'Resume the key.'}</>;
    default:
      return <>{others[reason]}</>;
  }
}

const others: Readonly<Record<string, string>> = {
  account_blocked: 'Your account was blocked. Ask your provider.',
  account_quota_exceeded: 'All your keys together used up the quota of your plan.',
  account_rate_limited: 'All your keys together exceeded the rate limit of your plan.',
  expired: 'Give the program another key, or extend this one before it expires.',
  inactive: 'Give the program another key.',
  rotated: 'A program still sends a secret that has ended. Give it the current one.',
};
