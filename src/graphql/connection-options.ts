/** The options of lists in GraphQL: Relay's connections, with as few nullable fields as possible. */
export const connectionOptions = {
  nodeQueryOptions: false,
  nodesQueryOptions: false,
  defaultConnectionTypeOptions: { description: 'A page of a list.' },
  defaultEdgeTypeOptions: { description: 'One member of a list, and where it stands.' },
  edgesFieldOptions: {
    nullable: { list: false, items: false },
    description: 'The members of the list on this page, in order.',
  },
  nodeFieldOptions: { nullable: false, description: 'The member of the list.' },
  cursorFieldOptions: {
    description: 'Stands for this member in `after` and `before`.',
    example: 'MjA',
  },
  pageInfoFieldOptions: { description: 'Where this page stands in the list.' },
  pageInfoTypeOptions: { description: 'Where a page stands in its list.' },
  hasNextPageFieldOptions: {
    description: 'Whether there is more after `endCursor`.',
    example: true,
  },
  hasPreviousPageFieldOptions: {
    description: 'Whether there is more before `startCursor`.',
    example: false,
  },
  startCursorFieldOptions: {
    description: 'Cursor of the first member on this page; null where there is none.',
    example: 'MjA',
  },
  endCursorFieldOptions: {
    description: 'Cursor of the last member on this page; null where there is none.',
    example: 'MQ',
  },
  firstArgOptions: {
    description: 'How many members, from the beginning or after a cursor: 0 to 100, 100 where left out.',
    example: 20,
  },
  afterArgOptions: {
    description: 'Cursor of the member that the page comes after.',
    example: 'MjA',
  },
  lastArgOptions: {
    description: 'How many members, from the end or before a cursor: 0 to 100, in place of `first`.',
    example: 20,
  },
  beforeArgOptions: {
    description: 'Cursor of the member that the page comes before.',
    example: 'MQ',
  },
} as const;
