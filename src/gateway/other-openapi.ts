import { type DoorFeatures, doorOpenApi } from '../door/openapi.ts';
import { webhooksOpenApi } from '../webhooks/openapi.ts';

/**
 * The parts of the OpenAPI document beside the operations.
 * @param keyHeader the only header field that carries API keys; undefined: `Authorization: Bearer` or `X-API-Key`
 * @param has what the service offers
 */
export function otherOpenApi(keyHeader: string | undefined, has: DoorFeatures) {
  const door = doorOpenApi(keyHeader, has);
  return { ...door, ...webhooksOpenApi, schemas: { ...door.schemas, ...webhooksOpenApi.schemas } };
}
