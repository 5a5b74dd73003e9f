import type { ReactNode } from 'preact/compat';
import type { Language } from '../../messages/language.ts';
import type { Problem } from '../api/problem.ts';
import { type ApiKey, type ApiKeyState, canChange, nameOf } from '../keys/api-key.ts';
import { ExpiryFields } from '../keys/expiry-fields.tsx';
import { DescriptionField, NameField } from '../keys/label-fields.tsx';
import { AddressesField, QuotaField, RateLimitField } from '../keys/limit-fields.tsx';
import { rateInWords } from '../keys/limits-in-words.ts';
import { LostPermissions } from '../keys/lost-permissions.tsx';
import { MayDo } from '../keys/may-do.tsx';
import { PermissionsField } from '../keys/permissions-field.tsx';
import { QuotaLeft } from '../keys/quota-left.tsx';
import type { KeyParts } from '../keys/read-key-form.ts';
import { Button } from '../ui/button.tsx';
import { Heading } from '../ui/heading.tsx';
import { useHost, useLanguage, useMayChange } from '../ui/host.ts';
import { ProblemNote } from '../ui/problem-note.tsx';
import { useAction } from '../ui/use-action.ts';
import { setDefaultApiKeyMutation } from './documents.ts';
import { EditRow, Row } from './edit-row.tsx';

interface KeySettingsProps {
  readonly apiKey: ApiKey;
  readonly state: ApiKeyState;
}

/** A part of a key that can be edited by itself. */
interface Part {
  readonly name: keyof KeyParts;
  readonly shown: (language: Language, key: ApiKey) => ReactNode;
  readonly Fields: (props: { readonly before: ApiKey; readonly problem: Problem | undefined }) => ReactNode;
}

const rights: readonly Part[] = [
  {
    name: 'permissions',
    shown: (_, { permissions }) => (
      <>
        <MayDo permissions={permissions} />
        <LostPermissions permissions={permissions} />
      </>
    ),
    Fields: ({ before, problem }) => (
      <PermissionsField before={before.permissions} issue={problem?.issueOf('permissions')} />
    ),
  },
  {
    name: 'allowedAddresses',
    shown: ({ text }, { allowedAddresses }) =>
      allowedAddresses.length === 0 ? text('key.any-address') : <Codes items={allowedAddresses} />,
    Fields: ({ before, problem }) => (
      <AddressesField list={before.allowedAddresses} issue={problem?.issueOf('allowedAddresses')} />
    ),
  },
  {
    name: 'rateLimit',
    shown: (language, { rateLimit }) =>
      rateLimit === null
        ? language.text('key.no-limit')
        : language.text('key.at-most', { rate: rateInWords(language, rateLimit) }),
    Fields: ({ before, problem }) => (
      <RateLimitField rateLimit={before.rateLimit} issue={problem?.issueOf('rateLimit')} />
    ),
  },
  {
    name: 'quota',
    shown: ({ text }, { quota }) => (quota === null ? text('key.no-limit') : <QuotaLeft quota={quota} />),
    Fields: ({ before, problem }) => <QuotaField quota={before.quota} issue={problem?.issueOf('quota')} />,
  },
  {
    name: 'expiresAt',
    shown: ({ text, absolute }, { expiresAt }) =>
      expiresAt === null ? text('key.never') : absolute(new Date(expiresAt)),
    Fields: ({ before, problem }) => (
      <ExpiryFields issue={problem?.issueOf('expiresAt')} current={before.expiresAt} />
    ),
  },
];

const naming: readonly Part[] = [
  {
    name: 'name',
    shown: ({ text }, { name }) =>
      name === null ? <span className="hint">{text('key.none')}</span> : <bdi>{name}</bdi>,
    Fields: ({ before, problem }) => <NameField name={before.name} issue={problem?.issueOf('name')} />,
  },
  {
    name: 'description',
    shown: ({ text }, { description }) =>
      description === null ? (
        <span className="hint">{text('key.none')}</span>
      ) : (
        <span className="description">
          <bdi>{description}</bdi>
        </span>
      ),
    Fields: ({ before, problem }) => (
      <DescriptionField description={before.description} issue={problem?.issueOf('description')} />
    ),
  },
];

/** What a key may do, and what it is called. Each part is edited in its place and saved alone. */
export function KeySettings({ apiKey, state }: KeySettingsProps) {
  const { text } = useLanguage();
  return (
    <>
      <section className="key-section" part="section" aria-labelledby="key-rights">
        <header>
          <Heading level={2} id="key-rights">
            {text('key.rights')}
          </Heading>
        </header>
        <Parts parts={rights} apiKey={apiKey} canEdit={() => canChange(state)} />
      </section>
      <section className="key-section" part="section" aria-labelledby="key-about">
        <header>
          <Heading level={2} id="key-about">
            {text('key.about')}
          </Heading>
        </header>
        <Parts parts={naming} apiKey={apiKey} canEdit={(name) => canChange(state) || name === 'name'} />
        <DefaultRow apiKey={apiKey} state={state} />
        {apiKey.metadata && (
          <Row label={text('key.metadata')}>
            <pre dir="ltr">{JSON.stringify(apiKey.metadata, null, 2)}</pre>
          </Row>
        )}
      </section>
    </>
  );
}

interface PartsProps {
  readonly parts: readonly Part[];
  readonly apiKey: ApiKey;
  readonly canEdit: (name: keyof KeyParts) => boolean;
}

function Parts({ parts, apiKey, canEdit }: PartsProps) {
  const language = useLanguage();
  return parts.map(({ name, shown, Fields }) => (
    <EditRow key={name} part={name} apiKey={apiKey} shown={shown(language, apiKey)} canEdit={canEdit(name)}>
      {(before, problem) => <Fields before={before} problem={problem} />}
    </EditRow>
  ));
}

const Codes = ({ items }: { readonly items: readonly string[] }) => (
  <span className="codes">
    {items.map((item) => (
      <code key={item}>{item}</code>
    ))}
  </span>
);

/** Whether the key is the default, and what that means. */
function DefaultRow({ apiKey, state }: KeySettingsProps) {
  const { request, refresh, notify, language } = useHost();
  const { text } = language;
  const canEdit = useMayChange();
  const { run, pending, problem } = useAction();
  const makeDefault = () =>
    run(async () => {
      await request(setDefaultApiKeyMutation, { keyId: apiKey.id });
      await refresh();
      notify(text('key.default-set', { name: nameOf(language, apiKey) }));
    });
  return (
    <Row label={text('key.default')}>
      <p>{text(apiKey.isDefault ? 'key.yes' : 'key.no')}</p>
      <p className="hint">
        {text(apiKey.isDefault && state === 'active' ? 'key.default-this' : 'key.default-other')}
      </p>
      <ProblemNote problem={problem} />
      {canEdit && !apiKey.isDefault && state === 'active' && (
        <Button look="quiet" pending={pending} onClick={makeDefault}>
          {text('key.make-default')}
        </Button>
      )}
    </Row>
  );
}
