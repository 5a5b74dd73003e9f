/** The method of a request, in its colour. */
export const Method = ({ name }: { readonly name: string }) => (
  <span class={`method ${name.toLowerCase()}`}>{name}</span>
);
