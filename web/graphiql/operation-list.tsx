/** @jsxImportSource react */
import { type GraphiQLPlugin, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { type Operation, operations, scopesText } from './operations.ts';

const kinds = [
  ['query', 'Queries'],
  ['mutation', 'Mutations'],
] as const;

/** Opens an operation in a new tab. */
function useOpen(): (operation: Operation) => void {
  const { addTab } = useGraphiQLActions();
  const queryEditor = useGraphiQL(({ queryEditor: editor }) => editor);
  const variableEditor = useGraphiQL(({ variableEditor: editor }) => editor);
  return ({ query, variables }) => {
    addTab();
    queryEditor?.setValue(query);
    variableEditor?.setValue(variables);
  };
}

/** All operations; a click opens one in a new tab, ready to run. */
function OperationList() {
  const open = useOpen();
  return (
    <div className="operation-list">
      <h2>Operations</h2>
      {kinds.map(([kind, title]) => (
        <section key={kind}>
          <h3>{title}</h3>
          <ul>
            {operations
              .filter((operation) => operation.kind === kind)
              .map((operation) => (
                <li key={operation.name}>
                  <button type="button" onClick={() => open(operation)}>
                    {operation.name}
                  </button>
                  <small>{scopesText(operation)}</small>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

const ListIcon = () => (
  <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">
    <path d="M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01" strokeLinecap="round" />
  </svg>
);

/** GraphiQL's plugin that lists the operations. */
export const operationList: GraphiQLPlugin = {
  title: 'Operations',
  icon: ListIcon,
  content: OperationList,
};
