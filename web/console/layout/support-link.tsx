import { useHost, useLanguage } from '../ui/host.ts';
import { beside } from './beside.ts';

/** The link to the provider's support, where only the provider can help. */
export function SupportLink() {
  const { settings } = useHost();
  const { text } = useLanguage();
  const support = settings.providerLinks?.find(({ name }) => name === 'support');
  if (!support) return null;
  return (
    <p>
      <a href={support.url} {...beside}>
        {text('common.support')}
      </a>
    </p>
  );
}
