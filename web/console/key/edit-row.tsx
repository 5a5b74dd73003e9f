import { type ReactNode, useEffect, useId, useRef, useState } from 'preact/compat';
import type { Problem } from '../api/problem.ts';
import type { ApiKey } from '../keys/api-key.ts';
import { type KeyParts, readKeyForm } from '../keys/read-key-form.ts';
import { Button } from '../ui/button.tsx';
import { Form } from '../ui/form.tsx';
import { FormProblem } from '../ui/form-problem.tsx';
import { Heading } from '../ui/heading.tsx';
import { useHost, useLanguage, useMayChange } from '../ui/host.ts';
import { useAction } from '../ui/use-action.ts';
import { usePlace } from '../ui/use-place.ts';
import { useUnsaved } from '../ui/use-unsaved.ts';
import { updateApiKeyMutation } from './documents.ts';

interface RowProps {
  readonly label: string;
  /** A button at the end. */
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

/** A label, and a value beside it. */
export const Row = ({ label, action, children }: RowProps) => (
  <div className="key-row">
    <Heading level={3}>{label}</Heading>
    <div>{children}</div>
    {action}
  </div>
);

interface EditRowProps {
  readonly part: keyof KeyParts;
  readonly apiKey: ApiKey;
  /** The value now. It stays in sight while it is edited. */
  readonly shown: ReactNode;
  readonly canEdit: boolean;
  /** The fields, from the key as it was when the person began. */
  readonly children: (before: ApiKey, problem: Problem | undefined) => ReactNode;
}

/** A part of a key that is edited in its place and saved alone. The address can open it: `?edit=quota`. */
export function EditRow({ part, apiKey, shown, canEdit, children }: EditRowProps) {
  const { setParams } = useHost();
  const { text, rich } = useLanguage();
  const mayChange = useMayChange();
  const isAsked = usePlace().params.get('edit') === part && canEdit && mayChange;
  const [before, setBefore] = useState<ApiKey>();
  const button = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isAsked) return;
    setBefore((edited) => edited ?? apiKey);
    setParams({ edit: undefined });
  }, [isAsked, apiKey, setParams]);
  const close = () => {
    setBefore(undefined);
    // The button that had the focus goes with the form.
    button.current?.querySelector('button')?.focus();
  };
  return (
    <>
      <Row
        label={text(`key.part-${part}`)}
        action={
          canEdit &&
          (mayChange || before) && (
            <div ref={button}>
              <Button
                look="quiet"
                aria-expanded={before !== undefined}
                onClick={() => (before ? close() : setBefore(apiKey))}
              >
                {rich(before ? 'key.close' : 'key.edit', {
                  part: text(`key.this-${part}`),
                  hidden: (content) => <span className="visually-hidden">{content}</span>,
                })}
              </Button>
            </div>
          )
        }
      >
        {shown}
      </Row>
      {before && canEdit && (
        <EditForm part={part} before={before} onClose={close}>
          {children}
        </EditForm>
      )}
    </>
  );
}

interface EditFormProps extends Pick<EditRowProps, 'part' | 'children'> {
  readonly before: ApiKey;
  readonly onClose: () => void;
}

function EditForm({ part, before, onClose, children }: EditFormProps) {
  const { notify, request, refresh, language } = useHost();
  const { text } = language;
  const id = useId();
  const action = useAction();
  const [isChanged, setIsChanged] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  useUnsaved(isChanged);
  useEffect(() => {
    place.current?.querySelector<HTMLElement>(':is(input, textarea, select):not([type="hidden"])')?.focus();
  }, []);
  const save = async (form: FormData) => {
    const changes = readKeyForm(language, form, new Date(), before, [part]);
    if (Object.keys(changes).length === 0) {
      onClose();
      return notify(text('key.no-changes'));
    }
    await request(updateApiKeyMutation, { keyId: before.id, ...changes });
    await refresh();
    onClose();
    notify(text('key.saved', { part: text(`key.part-${part}`) }));
  };
  return (
    <div className="key-edit" ref={place}>
      <Form id={id} action={action} onSubmit={save} onInput={() => setIsChanged(true)}>
        {children(before, action.problem)}
      </Form>
      <FormProblem problem={action.problem} shown={[part]} />
      <div className="form-end">
        <Button look="primary" type="submit" form={id} pending={action.pending}>
          {text('key.save', { part: text(`key.this-${part}`) })}
        </Button>
        <Button look="quiet" onClick={onClose}>
          {text('common.cancel')}
        </Button>
      </div>
    </div>
  );
}
