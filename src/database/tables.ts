import type { InferKyselyDB } from '@mikro-orm/sql';
import type { accountSchema } from '../accounts/account.entity.ts';
import type { apiKeySchema } from '../api-keys/api-key.entity.ts';
import type { apiKeySecretSchema } from '../api-keys/api-key-secret.entity.ts';
import type { auditEventSchema } from '../audit/audit-event.entity.ts';
import type { automationSettingsSchema } from '../automation-settings/automation-settings.entity.ts';
import type { privateKeySchema } from '../private-key/private-key.entity.ts';

/** The tables and their columns as queries name them, inferred from the entities. */
export type Tables = InferKyselyDB<
  | typeof accountSchema
  | typeof apiKeySchema
  | typeof apiKeySecretSchema
  | typeof auditEventSchema
  | typeof automationSettingsSchema
  | typeof privateKeySchema
>;

type CamelCase<Name> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** The entity's property behind a column; a foreign key belongs to the relation that it stands for. */
type PropertyOf<Column> = Column extends `${infer Relation}_id` ? CamelCase<Relation> : CamelCase<Column>;

/** A row in the names of its entity. */
export type EntityRow<Row> = { [Column in keyof Row as PropertyOf<Column> & string]: Row[Column] };
