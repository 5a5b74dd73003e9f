/** Describes a header field of an answer. */
export const header = (description: string, type = 'string') => ({ description, schema: { type } });

/** Describes a header field that a request may have. */
export const optionalHeader = (name: string, description: string) => ({
  ...{ name, in: 'header', required: false, description },
  schema: { type: 'string' },
});

/** Describes a header field that a request must have. */
export const requiredHeader = (name: string, description: string, example: string) => ({
  ...optionalHeader(name, description),
  required: true,
  example,
});

/** Describes an error answer. */
export const errorAnswer = (description: string, example: string, headers?: object) => ({
  description,
  ...(headers && { headers }),
  content: {
    'application/json': { schema: { $ref: '#/components/schemas/Error' }, example: { detail: example } },
  },
});

/** Refers to one of the document's error answers. */
export const responseRef = <Name extends string>(name: Name) => ({ $ref: `#/components/responses/${name}` });
