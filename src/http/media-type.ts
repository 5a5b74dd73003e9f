/** Whether a Content-Type is JSON, whatever its parameters. */
export const isJson = (contentType: string | null): boolean =>
  contentType?.split(';')[0]?.trim().toLowerCase() === 'application/json';
