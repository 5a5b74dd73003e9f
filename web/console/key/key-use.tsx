import type { ReactNode } from 'preact/compat';
import type { ApiKey } from '../keys/api-key.ts';
import { quotaInWords, rateInWords } from '../keys/limits-in-words.ts';
import { Button } from '../ui/button.tsx';
import { Heading } from '../ui/heading.tsx';
import { useHost, useLanguage, useMayChange } from '../ui/host.ts';
import { usePlace } from '../ui/use-place.ts';
import { ReasonSwatch } from '../usage/reason-pattern.tsx';
import { SpanChoice } from '../usage/span-choice.tsx';
import { Usage } from '../usage/usage.tsx';
import {
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
  const { text } = useLanguage();
  const span = spanIn(usePlace().params);
  return (
    <section className="key-section" part="section" aria-labelledby="key-use">
      <header>
        <Heading level={2} id="key-use">
          {text('key.use')}
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
  const language = useLanguage();
  const { text, number } = language;
  const canEdit = useMayChange();
  const { reasons } = totalOf(points);
  if (reasons.size === 0) return null;
  return (
    <table className="refusals">
      <caption className="visually-hidden">{text('key.refusals')}</caption>
      <thead>
        <tr>
          <th scope="col">{text('key.refused')}</th>
          <th scope="col" className="count">
            {text('key.requests')}
          </th>
          <th scope="col">{text('key.last')}</th>
          {canEdit && <th scope="col">{text('key.remedy')}</th>}
        </tr>
      </thead>
      <tbody>
        {[...reasons].map(([reason, count]) => {
          const last = points.findLast((point) => (point.reasons.get(reason) ?? 0) > 0);
          return (
            <tr key={reason}>
              <th scope="row">
                <ReasonSwatch reason={reason} /> {sentenceCase(inWords(language, reason))}
              </th>
              <td className="count">{number(count)}</td>
              <td>{last && nameOfPeriod(language, last.at, span)}</td>
              {canEdit && (
                <td>
                  <Remedy reason={reason} apiKey={apiKey} />
                </td>
              )}
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

interface RemedyProps {
  readonly reason: string;
  readonly apiKey: ApiKey;
}

/** What a person can do against a refusal. */
function Remedy({ reason, apiKey: { rateLimit, quota, pausedBy } }: RemedyProps) {
  const language = useLanguage();
  const { text } = language;
  switch (reason) {
    case 'rate_limited':
      return (
        <>
          {rateLimit && `${text('key.rate-is', { rate: rateInWords(language, rateLimit) })} `}
          <Edit part="rateLimit">{text('key.change-rate')}</Edit>
        </>
      );
    case 'quota_exceeded':
      return (
        <>
          {quota && `${text('key.quota-is', { quota: quotaInWords(language, quota) })} `}
          <Edit part="quota">{text('key.change-quota')}</Edit>
        </>
      );
    case 'insufficient_permissions':
      return (
        <>
          {text('key.asks-for-more')} <Edit part="permissions">{text('key.change-permissions')}</Edit>
        </>
      );
    case 'address_not_allowed':
      return (
        <>
          {text('key.other-address')} <Edit part="allowedAddresses">{text('key.change-addresses')}</Edit>
        </>
      );
    case 'paused':
      if (pausedBy === null) return <>{text('key.works-again')}</>;
      return <>{text(pausedBy === 'OPERATOR' ? 'key.ask-to-resume' : 'key.resume-it')}</>;
    default:
      return <>{isKnown(reason) && text(`key.remedy-${reason}`)}</>;
  }
}

const others = [
  'account_blocked',
  'account_quota_exceeded',
  'account_rate_limited',
  'expired',
  'inactive',
  'rotated',
] as const;

const isKnown = (reason: string): reason is (typeof others)[number] =>
  (others as readonly string[]).includes(reason);
