import type { ReactNode } from 'preact/compat';
import { absolute } from '../../shared/times.ts';
import type { Problem } from '../api/problem.ts';
import { type ApiKey, type ApiKeyState, canChange, nameOf } from '../keys/api-key.ts';
import { setDefaultApiKeyMutation } from '../keys/documents.ts';
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
import { useHost } from '../ui/host.ts';
import { ProblemNote } from '../ui/problem-note.tsx';
import { useAction } from '../ui/use-action.ts';
import { EditRow, Row } from './edit-row.tsx';

interface KeySettingsProps {
  readonly apiKey: ApiKey;
  readonly state: ApiKeyState;
}

/** A part of a key that can be edited by itself. */
interface Part {
  readonly name: keyof KeyParts;
  readonly label: string;
  readonly shown: (key: ApiKey) => ReactNode;
  readonly Fields: (props: { readonly before: ApiKey; readonly problem: Problem | undefined }) => ReactNode;
}

const rights: readonly Part[] = [
  {
    name: 'permissions',
    label: 'Permissions',
    shown: ({ permissions }) => (
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
    label: 'Addresses',
    shown: ({ allowedAddresses }) =>
      allowedAddresses.length === 0 ? 'Any address' : <Codes items={allowedAddresses} />,
    Fields: ({ before, problem }) => (
      <AddressesField list={before.allowedAddresses} issue={problem?.issueOf('allowedAddresses')} />
    ),
  },
  {
    name: 'rateLimit',
    label: 'Rate limit',
    shown: ({ rateLimit }) => (rateLimit === null ? 'None' : `At most ${rateInWords(rateLimit)}`),
    Fields: ({ before, problem }) => (
      <RateLimitField rateLimit={before.rateLimit} issue={problem?.issueOf('rateLimit')} />
    ),
  },
  {
    name: 'quota',
    label: 'Quota',
    shown: ({ quota }) => (quota === null ? 'None' : <QuotaLeft quota={quota} />),
    Fields: ({ before, problem }) => <QuotaField quota={before.quota} issue={problem?.issueOf('quota')} />,
  },
  {
    name: 'expiresAt',
    label: 'Expiry',
    shown: ({ expiresAt }) => (expiresAt === null ? 'Never' : absolute(new Date(expiresAt))),
    Fields: ({ before, problem }) => (
      <ExpiryFields issue={problem?.issueOf('expiresAt')} current={before.expiresAt} />
    ),
  },
];

const naming: readonly Part[] = [
  {
    name: 'name',
    label: 'Name',
    shown: ({ name }) => (name === null ? <span className="hint">None</span> : <bdi>{name}</bdi>),
    Fields: ({ before, problem }) => <NameField name={before.name} issue={problem?.issueOf('name')} />,
  },
  {
    name: 'description',
    label: 'Description',
    shown: ({ description }) =>
      description === null ? (
        <span className="hint">None</span>
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
export const KeySettings = ({ apiKey, state }: KeySettingsProps) => (
  <>
    <section className="key-section" part="section" aria-labelledby="key-rights">
      <header>
        <Heading level={2} id="key-rights">
          Permissions and limits
        </Heading>
      </header>
      <Parts parts={rights} apiKey={apiKey} canEdit={() => canChange(state)} />
    </section>
    <section className="key-section" part="section" aria-labelledby="key-about">
      <header>
        <Heading level={2} id="key-about">
          About
        </Heading>
      </header>
      <Parts parts={naming} apiKey={apiKey} canEdit={(name) => canChange(state) || name === 'name'} />
      <DefaultRow apiKey={apiKey} state={state} />
      {apiKey.metadata && (
        <Row label="Metadata">
          <pre dir="ltr">{JSON.stringify(apiKey.metadata, null, 2)}</pre>
        </Row>
      )}
    </section>
  </>
);

interface PartsProps {
  readonly parts: readonly Part[];
  readonly apiKey: ApiKey;
  readonly canEdit: (name: keyof KeyParts) => boolean;
}

const Parts = ({ parts, apiKey, canEdit }: PartsProps) =>
  parts.map(({ name, label, shown, Fields }) => (
    <EditRow
      key={name}
      part={name}
      label={label}
      apiKey={apiKey}
      shown={shown(apiKey)}
      canEdit={canEdit(name)}
    >
      {(before, problem) => <Fields before={before} problem={problem} />}
    </EditRow>
  ));

const Codes = ({ items }: { readonly items: readonly string[] }) => (
  <span className="codes">
    {items.map((item) => (
      <code key={item}>{item}</code>
    ))}
  </span>
);

/** Whether the key is the default, and what that means. */
function DefaultRow({ apiKey, state }: KeySettingsProps) {
  const { request, refresh, notify } = useHost();
  const { run, pending, problem } = useAction();
  const makeDefault = () =>
    run(async () => {
      await request(setDefaultApiKeyMutation, { keyId: apiKey.id });
      await refresh();
      notify(`${nameOf(apiKey)} is now the default key.`);
    });
  return (
    <Row label="Default key">
      <p>{apiKey.isDefault ? 'Yes' : 'No'}</p>
      <p className="hint">
        Programs that ask for your default key, without an ID, get{' '}
        {apiKey.isDefault && state === 'active' ? 'this' : 'another'} one.
      </p>
      <ProblemNote problem={problem} />
      {!apiKey.isDefault && state === 'active' && (
        <Button look="quiet" pending={pending} onClick={makeDefault}>
          Make default
        </Button>
      )}
    </Row>
  );
}
