/**
 * What *Open configuration* writes where there is no `.vscode/workers.json`: it changes nothing until a person takes the
 * comment marks off, and each example then holds.
 */
export const starterConfig = `// How Rollcall runs workers in this project. Hover a key to read about it.
{
  "version": 1,

  // How many background workers may run at once:
  // "maxConcurrent": 3,

  // Types of your own, and how the built-in ones run:
  // "types": {
  //   "nightly-tests": { "description": "Run the tests", "command": ["npm", "test"], "schedule": "0 3 * * *" },
  //   "dependency-audit": { "description": "Look for old packages", "template": "lib/worker-templates/dependency-audit.md" },
  //   "health-check": { "schedule": "0 6 * * 1" },
  // },

  // What Rollcall suggests by itself; nothing starts before you say so:
  // "triggers": { "consolidateAfterCases": 3, "healthCheckAfterBtoTest": true },
}
`;
