// Calls to the house. Whatever goes wrong is a Problem with a code and a sentence; a POST has a key that its repeats keep.

/** Why a call was not answered: `status` 0 is a house that could not be reached. */
export class Problem extends Error {
  /** @param {{status: number, code: string, detail: string, revision?: number, errors?: {where: string, what: string}[]}} told */
  constructor(told) {
    super(told.detail);
    this.status = told.status;
    this.code = told.code;
    this.detail = told.detail;
    this.revision = told.revision ?? 0;
    this.errors = told.errors ?? [];
  }

  /** Whether the same call may be made again as it is. */
  get passing() {
    return this.status === 0 || this.status === 503;
  }
}

/** A name that nobody else has, for a command or a request and all its repeats. */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `w${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/**
 * @param {string} path
 * @param {Record<string, string | number | (string | number)[] | undefined>} [query]
 */
export function address(path, query = {}) {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== "") parts.append(name, String(each));
    }
  }
  const text = parts.toString();
  return text ? `${path}?${text}` : path;
}

/**
 * @param {string} path
 * @param {Record<string, string | number | (string | number)[] | undefined>} [query]
 * @returns {Promise<any>}
 */
export const get = (path, query) => call(address(path, query), { headers: { Accept: "application/json" } });

const PAUSES_MS = [300, 700, 1500, 3000, 5000];

/**
 * Sent again under the same key while the house cannot be reached, so it is done once however often it was sent.
 * @param {string} path
 * @param {unknown} body
 * @param {{key?: string, method?: string}} [how]
 * @returns {Promise<any>}
 */
export async function post(path, body, { key = newKey(), method = "POST" } = {}) {
  const headers = { "Content-Type": "application/json", "Idempotency-Key": key, Accept: "application/json" };
  for (let tries = 0; ; tries++) {
    try {
      return await call(path, { method, headers, body: JSON.stringify(body) });
    } catch (error) {
      if (!(error instanceof Problem && error.passing) || tries === PAUSES_MS.length) throw error;
      await new Promise((done) => setTimeout(done, PAUSES_MS[tries]));
    }
  }
}

/**
 * @param {string} path
 * @param {RequestInit} how
 */
async function call(path, how) {
  let response;
  try {
    response = await fetch(path, how);
  } catch {
    throw new Problem({ status: 0, code: "unreachable", detail: "The house cannot be reached." });
  }
  const text = await response.text();
  const told = text ? JSON.parse(text) : null;
  if (!response.ok)
    throw new Problem({ status: response.status, code: "bad_answer", detail: response.statusText, ...told });
  return told;
}
