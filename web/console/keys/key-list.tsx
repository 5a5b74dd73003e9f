import { Suspense, useCallback, useState } from 'preact/compat';
import { Button } from '../ui/button.tsx';
import { Heading } from '../ui/heading.tsx';
import { useHost, useLanguage, useMayChange } from '../ui/host.ts';
import { later } from '../ui/later.tsx';
import { Loading } from '../ui/loading.tsx';
import { QueryContent } from '../ui/query-content.tsx';
import { useNow } from '../ui/use-now.ts';
import { usePlace } from '../ui/use-place.ts';
import { type ApiKey, expiresSoon, nameOf, pageOf } from './api-key.ts';
import { choiceIn, chooseKeys } from './choose-keys.ts';
import { KeyMenu, type OpenMenu } from './key-menu.tsx';
import { KeyTable } from './key-table.tsx';
import { KeyToolbar } from './key-toolbar.tsx';
import { useApiKeys } from './use-api-keys.ts';
import { useDailyUse } from './use-daily-use.ts';

// Only who pastes a key needs it.
const PastedSecret = later(async () => (await import('./pasted-secret.tsx')).PastedSecret, 'key');

interface KeyListProps {
  readonly onCreate: () => void;
}

/** The person's keys. */
export function KeyList({ onCreate }: KeyListProps) {
  const list = useApiKeys();
  const { text } = useLanguage();
  return (
    <QueryContent query={list} what={text('keys.loaded')}>
      {({ pages }) => {
        const keys = pages.flatMap(({ apiKeys }) => apiKeys.edges.map(({ node }) => node));
        return keys.length === 0 ? (
          <NoKeys onCreate={onCreate} />
        ) : (
          <ChosenKeys keys={keys} isComplete={!list.hasNextPage} />
        );
      }}
    </QueryContent>
  );
}

/** Shown if there is no key yet, with the next step. */
function NoKeys({ onCreate }: KeyListProps) {
  const { text } = useLanguage();
  const { organization, mayChange } = useHost().useAccount();
  return (
    <div className="empty">
      <Heading level={2}>{text('keys.none-yet')}</Heading>
      <p>
        {organization === undefined
          ? text('keys.none-yet-advice')
          : text('keys.none-yet-advice-for', { organization })}
      </p>
      {mayChange && <Button onClick={onCreate}>{text('keys.create-first')}</Button>}
    </div>
  );
}

interface ChosenKeysProps {
  readonly keys: readonly ApiKey[];
  /** Whether these are all keys, and no more are being read. */
  readonly isComplete: boolean;
}

/** The keys that match the choice in the address. Nothing is said of all keys before all are there. */
function ChosenKeys({ keys, isComplete }: ChosenKeysProps) {
  const language = useLanguage();
  const choice = choiceIn(usePlace().params);
  const now = useNow();
  const [menu, setMenu] = useState<OpenMenu>();
  const openMenu = useCallback((apiKey: ApiKey, button: HTMLElement) => setMenu({ apiKey, button }), []);
  const closeMenu = useCallback(() => setMenu(undefined), []);
  const use = useDailyUse();
  const chosen = chooseKeys(language, keys, choice, now);
  return (
    <>
      <KeyToolbar choice={choice} keys={keys} now={now} listed={chosen.length} isComplete={isComplete} />
      {!choice.isPasted && isComplete && <ExpiryLine keys={keys} now={now} />}
      {choice.isPasted && (
        <Suspense fallback={<Loading what={language.text('keys.loaded')} />}>
          <PastedSecret isComplete={isComplete} keys={keys} prefix={choice.search} now={now} />
        </Suspense>
      )}
      {chosen.length > 0 && <KeyTable keys={chosen} now={now} use={use} onMenu={openMenu} />}
      {chosen.length === 0 && !isComplete && <Loading what={language.text('keys.loaded')} />}
      {chosen.length === 0 && !choice.isPasted && isComplete && <NoMatch />}
      {menu && <KeyMenu menu={menu} now={now} onClose={closeMenu} />}
    </>
  );
}

/** Shown if no key matches. */
function NoMatch() {
  const { setParams } = useHost();
  const { text } = useLanguage();
  return (
    <div className="empty">
      <p>{text('keys.no-match')}</p>
      <Button onClick={() => setParams({ find: undefined, state: 'all' })}>{text('keys.show-all')}</Button>
    </div>
  );
}

interface ExpiryLineProps {
  readonly keys: readonly ApiKey[];
  readonly now: Date;
}

/** Warns of keys that expire soon, while there is time to extend or replace them. */
function ExpiryLine({ keys, now }: ExpiryLineProps) {
  const { setParams } = useHost();
  const language = useLanguage();
  const canEdit = useMayChange();
  const soon = keys.filter((key) => expiresSoon(key, now));
  const [first] = soon;
  if (!first) return null;
  if (soon.length === 1)
    return (
      <p className="soon-line">
        {language.rich('keys.expires-soon', {
          name: <bdi>{nameOf(language, first)}</bdi>,
          link: (content) => canEdit && <a href={`${pageOf(first)}?edit=expiresAt`}>{content}</a>,
        })}
      </p>
    );
  return (
    <p className="soon-line">
      {language.rich('keys.expire-soon', {
        count: soon.length,
        button: (content) => (
          <Button look="quiet" onClick={() => setParams({ find: undefined, state: 'all', order: 'expiry' })}>
            {content}
          </Button>
        ),
      })}
    </p>
  );
}
