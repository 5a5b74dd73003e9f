import { type FormEvent, useCallback, useEffect, useRef, useState } from 'preact/compat';
import { useAccount } from '../../sign-in/use-account.ts';
import { type FoundOperation, isChange } from '../description/operations.ts';
import { BodyField } from './body-field.tsx';
import { ParameterField } from './field.tsx';
import { fieldsOf, organizationHeader } from './fields.ts';
import { bodyName, type Entered, type Faults, readForm } from './read-form.ts';
import { Result } from './result.tsx';
import { type Exchange, send } from './send.ts';

/** How far a request is. An operation that changes something asks once, before its first request. */
type Step = 'ready' | 'asking' | 'sending';

/** Sends what a person entered. */
function useSending({ credential }: FoundOperation) {
  const [step, setStep] = useState<Step>('ready');
  const [exchange, setExchange] = useState<Exchange>();
  const [problem, setProblem] = useState<string>();
  const last = useRef<Entered>();
  const forget = useCallback(() => {
    last.current = undefined;
    setStep('ready');
    setExchange(undefined);
    setProblem(undefined);
  }, []);
  const begin = async (entered: Entered) => {
    forget();
    last.current = entered;
    setStep('sending');
    const result = await send(entered, credential).catch((error: Error) => error);
    if (last.current !== entered) return;
    if (result instanceof Error) setProblem(result.message);
    else setExchange(result);
    setStep('ready');
  };
  return { step, setStep, exchange, problem, begin, forget };
}

const buttonWords: Readonly<Record<Step, string>> = {
  ready: 'Send',
  asking: 'Send, and change data',
  sending: 'Sending…',
};

const focusFirstFault = (form: HTMLFormElement) =>
  setTimeout(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());

/**
 * Follows the choice of an account: the form has its organisation, unless the person entered another. What came back for
 * the former, or for a person before, is gone, and a change asks again.
 */
function useChosenAccount(forget: () => void) {
  const { organization, left } = useAccount();
  const form = useRef<HTMLFormElement>(null);
  const before = useRef({ organization, left });
  useEffect(() => {
    const { current } = before;
    if (current.organization === organization && current.left === left) return;
    const field = form.current?.elements.namedItem(organizationHeader);
    const isTheirs = current.left !== left;
    if (field instanceof HTMLInputElement && (isTheirs || field.value === (current.organization ?? '')))
      field.value = organization ?? '';
    before.current = { organization, left };
    forget();
  }, [organization, left, forget]);
  return { form, organization: before.current.organization };
}

interface TryItProps {
  readonly found: FoundOperation;
  /** The header in which the service takes API keys. */
  readonly keyHeader: string;
}

/** The form that sends a request, and its response. */
export function TryIt({ found, keyHeader }: TryItProps) {
  const [faults, setFaults] = useState<Faults>({});
  const [isConfirmed, setConfirmed] = useState(!isChange(found));
  const { step, setStep, exchange, problem, begin, forget } = useSending(found);
  const forgetAll = useCallback(() => {
    setConfirmed(!isChange(found));
    forget();
  }, [found, forget]);
  const { form: ref, organization } = useChosenAccount(forgetAll);
  const fields = fieldsOf(found, keyHeader, organization);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (step === 'sending') return;
    const form = event.currentTarget;
    const read = readForm(found, fields, new FormData(form));
    setFaults('faults' in read ? read.faults : {});
    if ('faults' in read) return void focusFirstFault(form);
    if (!isConfirmed && step !== 'asking') return setStep('asking');
    setConfirmed(true);
    void begin(read.entered);
  };
  return (
    <form ref={ref} noValidate onSubmit={submit} aria-label={`Try it: ${found.operation.summary}`}>
      {found.credential === 'key' && <p>Takes an API key. Your access token is not sent.</p>}
      {fields.map((field) => (
        <ParameterField
          key={field.name}
          // Each form is drawn on its own, so useId would repeat itself.
          id={`${found.id}-${field.name}`}
          field={field}
          fault={faults[field.name]}
        />
      ))}
      {found.body && <BodyField found={found} fault={faults[bodyName]} />}
      <p className="exits">
        <button type="submit" className={`button primary ${step}`} aria-disabled={step === 'sending'}>
          {buttonWords[step]}
        </button>
      </p>
      <p className="status" role="status">
        {step === 'asking' && `This changes data on ${location.host}.`}
        {exchange?.status}
      </p>
      <p className="fault" role="alert">
        {problem}
      </p>
      {exchange && <Result exchange={exchange} />}
    </form>
  );
}
