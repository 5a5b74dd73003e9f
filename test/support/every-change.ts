/** Asks for something over REST. */
type Call = (
  method: string,
  path: string,
  json?: object,
) => Promise<{ readonly status: number; readonly body: { readonly key?: string } | undefined }>;

/**
 * One change of everything that a person can change, on an empty database: two keys are created, the first of them is
 * renamed, rotated, paused, resumed and ended, the second made the default.
 * @returns the secrets that were in it
 */
export async function makeEveryChange(call: Call): Promise<string[]> {
  const privateKey = '1'.padStart(64, '0');
  const answers = [
    await call('POST', '/auth/keys', { name: 'Laptop' }),
    await call('POST', '/auth/keys', {}),
    await call('PATCH', '/auth/keys/1', { name: 'Desk' }),
    await call('PUT', '/auth/keys/2/default'),
    await call('POST', '/auth/keys/1/rotate', {}),
    await call('POST', '/auth/keys/1/pause'),
    await call('POST', '/auth/keys/1/resume'),
    await call('DELETE', '/auth/keys/1'),
    await call('POST', '/auth/private-key', { private_key: privateKey }),
    await call('DELETE', '/auth/private-key'),
    await call('PUT', '/automation/settings', { session_duration: 60 }),
  ];
  const failed = answers.filter(({ status }) => status >= 300);
  if (failed.length > 0) throw new Error(`${failed.length} changes failed: ${failed[0]?.status}`);
  return [privateKey, ...answers.flatMap(({ body }) => body?.key ?? [])];
}
