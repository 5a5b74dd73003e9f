import { defineEntity, p } from '@mikro-orm/core';
import { ApiKey } from './api-key.entity.ts';

export const apiKeySecretSchema = defineEntity({
  name: 'ApiKeySecret',
  tableName: 'api_key_secret',
  properties: {
    id: p.integer().primary().autoincrement(),
    apiKey: () => p.manyToOne(ApiKey).mapToPk().index(),
    /** HMAC-SHA-256 of the secret under a pepper: by this alone is a secret found. */
    digest: p.blob().unique(),
    /** The version of that pepper. */
    pepperVersion: p.integer().index(),
    /** When a secret that was rotated out ceases to work; null: it is the key's current one. */
    worksUntil: p.datetime(3).nullable(),
  },
});

/** A secret by which an API key is known: its current one, and those rotated out whose grace has not ended. */
export class ApiKeySecret extends apiKeySecretSchema.class {}
apiKeySecretSchema.setClass(ApiKeySecret);
