/** The options of lists in GraphQL: Relay's connections, with as few nullable fields as possible. */
export const connectionOptions = {
  nodeQueryOptions: false,
  nodesQueryOptions: false,
  defaultConnectionTypeOptions: { description: 'A page of a list.' },
  defaultEdgeTypeOptions: { description: 'One item of a list, with its cursor.' },
  edgesFieldOptions: {
    nullable: { list: false, items: false },
    description: 'The items on this page, in order.',
  },
  nodeFieldOptions: { nullable: false, description: 'The item.' },
  cursorFieldOptions: {
    description: 'Cursor of this item, for `after` and `before`.',
    example: 'MjA',
  },
  pageInfoFieldOptions: { description: 'The position of this page in the list.' },
  pageInfoTypeOptions: { description: 'The position of a page in its list.' },
  hasNextPageFieldOptions: {
    description: 'Whether there are more items after `endCursor`.',
    example: true,
  },
  hasPreviousPageFieldOptions: {
    description: 'Whether there are more items before `startCursor`.',
    example: false,
  },
  startCursorFieldOptions: {
    description: 'Cursor of the first item on this page. Null if the page is empty.',
    example: 'MjA',
  },
  endCursorFieldOptions: {
    description: 'Cursor of the last item on this page. Null if the page is empty.',
    example: 'MQ',
  },
  firstArgOptions: {
    description: 'Number of items from the start or after a cursor (0–100). Default: 100.',
    example: 20,
  },
  afterArgOptions: {
    description: 'Return items after this cursor.',
    example: 'MjA',
  },
  lastArgOptions: {
    description: 'Number of items from the end or before a cursor (0–100), in place of `first`.',
    example: 20,
  },
  beforeArgOptions: {
    description: 'Return items before this cursor.',
    example: 'MQ',
  },
} as const;
