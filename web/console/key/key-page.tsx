import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/compat';
import { type ApiKey, canChange, nameOf, stateOf } from '../keys/api-key.ts';
import { type NewSecret, SecretDialog } from '../keys/secret-dialog.tsx';
import { knownApiKeys } from '../keys/use-api-keys.ts';
import { ForChange } from '../ui/for-change.tsx';
import { useHost, useLanguage, useMayChange } from '../ui/host.ts';
import { QueryContent } from '../ui/query-content.tsx';
import { useNow } from '../ui/use-now.ts';
import { usePlace } from '../ui/use-place.ts';
import { View } from '../ui/view.tsx';
import { apiKeyQuery } from './documents.ts';
import { KeyDialog, requestIn } from './key-dialog.tsx';
import { KeyFacts } from './key-facts.tsx';
import { KeyHistory } from './key-history.tsx';
import { KeyPause } from './key-pause.tsx';
import { KeySecrets } from './key-secrets.tsx';
import { KeySettings } from './key-settings.tsx';
import { KeyUse } from './key-use.tsx';

/** The page of one API key: how it is used, what it may do, its secrets and its history. */
export function KeyPage({ keyId }: { readonly keyId: number }) {
  const { request, queryClient, language } = useHost();
  const { text } = language;
  const query = useQuery({
    queryKey: ['api-key', keyId],
    queryFn: ({ signal }) => request(apiKeyQuery, { keyId }, { signal }),
    // The list has it already.
    placeholderData: () => {
      const apiKey = knownApiKeys(queryClient).find(({ id }) => id === keyId);
      return apiKey && { apiKey };
    },
  });
  const known = query.data?.apiKey;
  return (
    <View
      title={nameOf(language, known ?? { id: keyId, name: null })}
      back={<a href="#keys">{text('key.back')}</a>}
      action={known && <Actions apiKey={known} />}
    >
      <QueryContent query={query} what={text('key.loading')}>
        {({ apiKey }) => <Key apiKey={apiKey} />}
      </QueryContent>
    </View>
  );
}

/** The actions that matter most. The address asks for them, so that other pages can lead to them. */
function Actions({ apiKey }: { readonly apiKey: ApiKey }) {
  const { setParams } = useHost();
  const { text } = useLanguage();
  const state = stateOf(apiKey, useNow());
  if (!useMayChange()) return null;
  return (
    <div className="actions">
      {canChange(state) && (
        <button type="button" className="button" onClick={() => setParams({ do: 'rotate' })}>
          {text('key.rotate')}
        </button>
      )}
      {state === 'active' && (
        <button type="button" className="button" onClick={() => setParams({ do: 'pause' })}>
          {text('key.pause')}
        </button>
      )}
      {state !== 'deactivated' && (
        <button type="button" className="button danger-text" onClick={() => setParams({ do: 'deactivate' })}>
          {text('key.deactivate')}
        </button>
      )}
    </div>
  );
}

function Key({ apiKey }: { readonly apiKey: ApiKey }) {
  const { setParams } = useHost();
  const { params } = usePlace();
  const [secret, setSecret] = useState<NewSecret>();
  const state = stateOf(apiKey, useNow());
  const asked = requestIn(params, apiKey, state);
  return (
    <div className="key-page">
      <KeyFacts apiKey={apiKey} state={state} />
      {canChange(state) && <KeyPause apiKey={apiKey} />}
      <KeyUse apiKey={apiKey} />
      <KeySettings apiKey={apiKey} state={state} />
      <KeySecrets apiKey={apiKey} state={state} />
      <KeyHistory apiKey={apiKey} />
      {asked && !secret && (
        <ForChange>
          <KeyDialog
            asked={asked}
            apiKey={apiKey}
            onSecret={setSecret}
            onDismiss={() => setParams({ do: undefined, secret: undefined })}
          />
        </ForChange>
      )}
      {secret && <SecretDialog secret={secret} onDone={() => setSecret(undefined)} />}
    </div>
  );
}
