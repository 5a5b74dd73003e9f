import { refresh } from '../api/query-client.ts';
import { request } from '../api/request.ts';
import { Button } from '../ui/button.tsx';
import { focusSomewhere } from '../ui/focus.ts';
import { notify } from '../ui/notice.tsx';
import { ProblemNote } from '../ui/problem-note.tsx';
import { useAction } from '../ui/use-action.ts';
import { type ApiKey, type ApiKeyState, headingId, nameOf } from './api-key.ts';
import { setDefaultApiKeyMutation } from './documents.ts';
import type { KeyRequest } from './key-dialog.tsx';

interface KeyActionsProps {
  readonly apiKey: ApiKey;
  readonly state: ApiKeyState;
  readonly isDefault: boolean;
  readonly onAsk: (request: KeyRequest) => void;
}

/** The actions that the state of a key allows. */
export function KeyActions({ apiKey, state, isDefault, onAsk }: KeyActionsProps) {
  const { run, pending, problem } = useAction();
  const makeDefault = () =>
    run(async () => {
      await request(setDefaultApiKeyMutation, { keyId: apiKey.id });
      await refresh();
      notify(`${nameOf(apiKey)} is now the default key.`);
      // The button that had the focus is gone.
      focusSomewhere(headingId(apiKey));
    });
  const of = <span className="visually-hidden"> {nameOf(apiKey)}</span>;
  return (
    <>
      <ProblemNote problem={problem} />
      <div className="card-actions">
        <a className="button quiet" href={`#usage/${apiKey.id}`}>
          Usage{of}
        </a>
        <Button look="quiet" onClick={() => onAsk({ act: 'edit', apiKey })}>
          {state === 'active' ? 'Edit' : 'Rename'}
          {of}
        </Button>
        {state === 'active' && !isDefault && (
          <Button look="quiet" pending={pending} onClick={makeDefault}>
            Make default{of}
          </Button>
        )}
        {state === 'active' && (
          <Button look="quiet" onClick={() => onAsk({ act: 'rotate', apiKey })}>
            Rotate{of}
          </Button>
        )}
        {state !== 'deactivated' && (
          <Button look="quiet danger" onClick={() => onAsk({ act: 'deactivate', apiKey })}>
            Deactivate{of}
          </Button>
        )}
      </div>
    </>
  );
}
