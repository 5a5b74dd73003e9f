/**
 * Whether a root field of the mutation type changes something. One that is a mutation for another reason says so in its
 * extension `changesNothing`.
 */
export const isChange = ({ extensions }: { readonly extensions?: object | null | undefined }): boolean =>
  !extensions || !('changesNothing' in extensions);
