/** A reference to a part that several places of the description share. */
interface Reference {
  readonly $ref: string;
}

/** The parts of a JSON Schema that the description uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
  readonly examples?: readonly unknown[];
}

/** A parameter in the path, the query or a header, or in a body that is a form. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'form';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

interface Content {
  readonly schema: Schema;
  readonly example?: unknown;
}

type Contents = Readonly<Record<string, Content>>;

/** A header of a response. */
interface Header {
  readonly description: string;
}

/** A response with one status. */
export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Contents;
}

type Security = readonly Readonly<Record<string, readonly string[]>>[];

/** An operation, or a webhook. */
export interface Operation {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly content: Contents };
  readonly responses: Readonly<Record<string, Response | Reference>>;
  readonly security: Security;
}

/** The parts of the OpenAPI document that the reference shows. */
export interface Description {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly securitySchemes: Readonly<
      Record<string, { readonly name?: string; readonly description: string }>
    >;
  };
}

/** The name at the end of a reference, such as `ApiKey`. */
export const nameIn = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

/** A parameter, or the shared one that is referred to. */
export const findParameter = ({ components }: Description, given: Parameter | Reference): Parameter =>
  '$ref' in given ? (components.parameters[nameIn(given.$ref)] as Parameter) : given;

/** A response, or the shared one that is referred to. */
export const findResponse = ({ components }: Description, given: Response | Reference): Response =>
  '$ref' in given ? (components.responses[nameIn(given.$ref)] as Response) : given;
