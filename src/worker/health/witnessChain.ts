import { counted } from '../project/counted';
import { findHashClaims, type HashClaim, provesUnchanged } from '../project/hashClaims';
import { inOrder } from '../project/inOrder';
import type { ProjectReader } from '../project/projectReader';
import { readJson } from '../project/readJson';
import { listResearches, type Research } from '../project/researches';
import { type Check, type CheckOutcome, conclude, type Finding } from './check';

const REPAIR = 'Find out who changed the case, restore the file or repair its witness chain.';

/** Completed cases have a witness chain, its links hold together, and every file it lists still has its hash. */
export const witnessChain: Check = {
  name: 'witness-chain',
  async run({ project }): Promise<CheckOutcome> {
    const researches = await listResearches(project);
    const chains = await inOrder(researches, async (research) => await judgeCase(project, research));
    const verified = chains.reduce((sum, { files }) => sum + files, 0);
    if (researches.length === 0) {
      return conclude('no cases in researches, so there is no witness chain to verify', []);
    }
    return conclude(
      `${counted(verified, 'file')} of ${counted(researches.length, 'case')} verified`,
      chains.flatMap(({ findings }) => findings),
      chains.flatMap(({ files }, index) =>
        files === 0 ? [] : [`${researches[index]?.slug ?? ''}: ${counted(files, 'file')} verified`],
      ),
    );
  },
};

interface ChainVerdict {
  /** How many files were found unchanged. */
  readonly files: number;
  readonly findings: readonly Finding[];
}

async function judgeCase(project: ProjectReader, research: Research): Promise<ChainVerdict> {
  const { slug, folder, completedMs } = research;
  const reading = await readJson(project, `${folder}/.witness-chain.json`);
  if (reading.kind === 'absent') {
    const advice = 'Start a witness chain in cases that must be tamper-evident.';
    const text = `${slug} is complete and has no witness chain`;
    return { files: 0, findings: completedMs === null ? [] : [{ level: 'warn', text, advice }] };
  }
  if (reading.kind === 'bad') {
    return { files: 0, findings: [broken(`the witness chain of ${slug} ${reading.reason}`)] };
  }
  const claims = findHashClaims(reading.value);
  if (claims.length === 0) {
    const advice = 'Let the witness chain list each file with its SHA-256.';
    return {
      files: 0,
      findings: [{ level: 'warn', text: `the witness chain of ${slug} lists no file hashes`, advice }],
    };
  }
  const files = await inOrder(claims, async (claim) => await judgeClaim(project, research, claim));
  const bad = files.filter((finding) => finding !== null);
  return { files: claims.length - bad.length, findings: [...bad, ...judgeLinks(slug, claims)] };
}

async function judgeClaim(
  project: ProjectReader,
  { slug, folder }: Research,
  claim: HashClaim,
): Promise<Finding | null> {
  const inCase = claim.file.startsWith(`${folder}/`) ? claim.file : `${folder}/${claim.file}`;
  const content = await project.readBytes(inCase);
  if (content === null) {
    return broken(`${slug} lists ${claim.file}, which is not a file of the project`);
  }
  return provesUnchanged(claim, content) ? null : broken(`${inCase} was changed after it was witnessed`);
}

function judgeLinks(slug: string, claims: readonly HashClaim[]): readonly Finding[] {
  return claims.flatMap(({ file, previous }, index) => {
    const before = claims[index - 1];
    const isLinked = before === undefined || previous === null || previous === before.hash;
    return isLinked ? [] : [broken(`the witness chain of ${slug} is broken before ${file}`)];
  });
}

function broken(text: string): Finding {
  return { level: 'fail', text, advice: REPAIR };
}
