import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { toTree } from '../../../src/core/presenter/toTree';
import type { TreeNode } from '../../../src/core/presenter/treeNode';
import { NodeProvider } from '../../../src/extension/views/nodeProvider';
import { handClock } from '../../support/handClock';
import { fleetSnapshot, readerAfter, workerSnapshot } from '../../support/snapshots';

const consolidate = workerSnapshot({ type: 'consolidate' });
const exporting = workerSnapshot({ type: 'export-brain' });
const rowId = `/project#worker/${consolidate.workerId}`;
const otherId = `/project#worker/${exporting.workerId}`;

function treeAt(seconds: number): readonly TreeNode[] {
  return toTree([fleetSnapshot([consolidate, exporting])], readerAfter(seconds));
}

describe('a view', () => {
  const clock = handClock();
  let provider: NodeProvider;
  let drawn: (readonly string[] | undefined)[];

  beforeEach(() => {
    provider = new NodeProvider(clock, async () => Promise.resolve('# why'));
    provider.show(treeAt(0));
    // As VS Code does for a group that is open.
    provider.getChildren('/project#workers');
    drawn = [];
    provider.onDidChangeTreeData((ids) => drawn.push(ids?.toSorted()));
  });
  afterEach(() => {
    provider.dispose();
  });

  it('draws only the rows that changed', () => {
    provider.show(treeAt(5));
    provider.show(treeAt(5));
    assert.deepEqual(drawn, [[rowId, otherId].toSorted()]);
  });

  it('draws no rows below one that nobody has opened', () => {
    const other = new NodeProvider(clock, async () => Promise.resolve(null));
    other.show(treeAt(0));
    other.onDidChangeTreeData((ids) => drawn.push(ids));
    other.show(treeAt(5));
    assert.deepEqual(drawn, []);
    other.dispose();
  });

  it('is told when VS Code asks for the tree, and may bring it up to date', () => {
    const other: NodeProvider = new NodeProvider(
      clock,
      async () => Promise.resolve(null),
      () => {
        other.show(treeAt(0));
      },
    );
    assert.deepEqual(other.getChildren(), ['/project#workers']);
    other.dispose();
  });

  it('leaves a row alone while its tooltip is read, and then draws it as it is by now', async () => {
    const item = await provider.resolveTreeItem(provider.getTreeItem(rowId), rowId);
    assert.ok(item.tooltip instanceof vscode.MarkdownString && item.tooltip.value === '# why');
    assert.notEqual(item.tooltip.isTrusted, true);
    provider.show(treeAt(5));
    provider.show(treeAt(10));
    assert.deepEqual(drawn, [[otherId], [otherId]]);
    clock.go(4_000);
    assert.deepEqual(drawn.at(-1), [rowId]);
    assert.equal(provider.getTreeItem(rowId).description, 'running · 10 s');
  });

  it('knows the way up from every row, so that VS Code can reveal it', () => {
    assert.equal(provider.getParent(rowId), '/project#workers');
    assert.equal(provider.getParent('/project#workers'), undefined);
  });
});
