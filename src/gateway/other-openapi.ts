import { doorOpenApi } from '../door/openapi.ts';
import { webhooksOpenApi } from '../webhooks/openapi.ts';

/**
 * The parts of the OpenAPI document beside the operations.
 * @param keyHeader the only header field that carries API keys; undefined: `Authorization: Bearer` or `X-API-Key`
 * @param takesLeakReports whether the service takes reports of leaked keys
 */
export function otherOpenApi(keyHeader: string | undefined, takesLeakReports: boolean) {
  const door = doorOpenApi(keyHeader, takesLeakReports);
  return { ...door, ...webhooksOpenApi, schemas: { ...door.schemas, ...webhooksOpenApi.schemas } };
}
