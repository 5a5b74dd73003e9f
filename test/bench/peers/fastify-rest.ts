import type { FastifyInstance, FastifyRequest, FastifySchemaValidationError } from 'fastify';
import { accountAdmin, signedIn } from './caller.ts';
import { invalidInput } from './refusal.ts';
import type { Store } from './store.ts';

const text = { type: 'string' } as const;
const integer = { type: 'integer' } as const;
const boolean = { type: 'boolean' } as const;
const nullable = <Type extends object>(type: Type) => ({ ...type, nullable: true });

const anything = nullable({ type: 'object', additionalProperties: true } as const);

/** Response schemas: fast-json-stringify writes the answers by them. */
const answers = (properties: object) => ({ 200: { type: 'object', properties } });

const status = answers({ has_key: boolean, created_at: nullable(text), updated_at: nullable(text) });

const settings = answers({
  is_enabled: nullable(boolean),
  session_duration: nullable(integer),
  user_id: integer,
  created_at: text,
  updated_at: text,
});

const apiKey = answers({
  id: integer,
  key_prefix: text,
  name: nullable(text),
  created_at: text,
  is_active: boolean,
  is_default: boolean,
  encrypted_key: nullable(text),
  encryption_version: integer,
  expires_at: nullable(text),
  deactivated_at: nullable(text),
  previous_works_until: nullable(text),
  last_used_at: nullable(text),
  description: nullable(text),
  permissions: { type: 'array', items: text },
  metadata: anything,
  allowed_addresses: { type: 'array', items: text },
  rate_limit: anything,
  quota: anything,
});

const settingsBody = {
  type: 'object',
  properties: {
    is_enabled: nullable(boolean),
    session_duration: nullable({ ...integer, minimum: 60, maximum: 86_400 }),
  },
};

const keyPath = {
  type: 'object',
  properties: { key_id: { type: 'string', pattern: '^(0|-?[1-9]\\d{0,9})$' } },
};

const schemaErrorFormatter = ([error]: FastifySchemaValidationError[]) =>
  invalidInput(error?.message ?? 'The input is not valid.');

interface SettingsBody {
  readonly is_enabled?: boolean | null;
  readonly session_duration?: number | null;
}

/** The three operations as REST. */
export function addRest(
  app: FastifyInstance,
  store: Store,
  requiring: (scopes: readonly string[]) => (request: FastifyRequest) => Promise<void>,
): void {
  const mine = { onRequest: requiring(signedIn), schemaErrorFormatter };
  const admin = { onRequest: requiring(accountAdmin), schemaErrorFormatter };

  app.get('/api/v1/auth/private-key', { ...mine, schema: { response: status } }, async ({ user }) =>
    store.privateKeyStatus(user),
  );

  app.put<{ Body: SettingsBody }>(
    '/api/v1/automation/settings',
    { ...mine, schema: { body: settingsBody, response: settings } },
    async ({ user, body, id, ip }) =>
      store.updateAutomationSettings(
        user,
        { isEnabled: body.is_enabled, sessionDuration: body.session_duration },
        { id, address: ip },
      ),
  );

  app.delete<{ Params: { key_id: string } }>(
    '/api/v1/auth/keys/:key_id',
    { ...admin, schema: { params: keyPath, response: apiKey } },
    async ({ user, params, id, ip }) =>
      store.deactivateApiKey(user, Number(params.key_id), { id, address: ip }),
  );
}
