import { idIn, nameOf } from '../keys/api-key.ts';
import { useApiKeys } from '../keys/use-api-keys.ts';
import { useHost, useLanguage } from '../ui/host.ts';
import { usePlace } from '../ui/use-place.ts';
import { View } from '../ui/view.tsx';
import { SpanChoice } from './span-choice.tsx';
import { Usage } from './usage.tsx';
import { UsageByKey } from './usage-by-key.tsx';
import { spanIn } from './usage-points.ts';
import { UsageReport } from './usage-report.tsx';

/** How often all keys were verified, or the one whose id is in the address. */
export function UsageView() {
  const { setParams } = useHost();
  const { text } = useLanguage();
  const { item, params } = usePlace();
  const keyId = idIn(item);
  const span = spanIn(params);
  return (
    <View title={text('usage.title')} lead={text('usage.lead')}>
      <div className="toolbar">
        <KeyChoice keyId={keyId} params={params} />
        <SpanChoice span={span} onChange={(range) => setParams({ range })} />
      </div>
      <Usage key={`${keyId} ${span}`} keyId={keyId} span={span}>
        {(points) => <UsageReport points={points} span={span} />}
      </Usage>
      {keyId === undefined && <UsageByKey />}
    </View>
  );
}

/** Chooses a key, or all of them. */
interface KeyChoiceProps {
  readonly keyId: number | undefined;
  readonly params: URLSearchParams;
}

function KeyChoice({ keyId, params }: KeyChoiceProps) {
  const language = useLanguage();
  const { text } = language;
  const listed = useApiKeys().data?.pages.flatMap(({ apiKeys }) => apiKeys.edges.map(({ node }) => node));
  const keys: { readonly id: number; readonly name: string | null }[] = [...(listed ?? [])];
  // A key that is not fetched yet, or belongs to somebody else.
  if (keyId !== undefined && !keys.some(({ id }) => id === keyId)) keys.unshift({ id: keyId, name: null });
  return (
    <select
      aria-label={text('usage.api-key')}
      value={keyId ?? ''}
      onChange={({ currentTarget }) => {
        const { value } = currentTarget;
        location.hash = `${value === '' ? '#usage' : `#usage/${value}`}?${params}`;
      }}
    >
      <option value="">{text('usage.all-keys')}</option>
      {keys.map((key) => (
        <option key={key.id} value={key.id}>
          {nameOf(language, key)}
        </option>
      ))}
    </select>
  );
}
