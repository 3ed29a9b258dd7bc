/**
 * Checks what comes from the network. A frame or row that does not fit is a Problem, not an exception: the
 * caller counts and reports it, and goes on with the rest.
 */
import type { ElidedFrame, Frame, RoomFrame, RowRef, SnapshotReason } from "./frames.ts";
import { getOrInsert } from "./getorinsert.ts";
import { objectOf, schema } from "./rows.gen.ts";
import type { Row, RowKind } from "./rows.gen.ts";

/** Either a value or why there is none. */
export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

type Json = Readonly<Record<string, unknown>>;

/** parseFrame reads one message. Rows that do not fit are left out and told to skipped, one call each. */
export function parseFrame(text: unknown, skipped: (problem: string) => void): Result<Frame | RoomFrame> {
  if (typeof text !== "string") return bad("a frame that is not text");
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return bad(`a frame that is not JSON: ${text.slice(0, 60)}`);
  }
  if (!isObject(json)) return bad("a frame that is not an object");
  return frameOf(json, skipped);
}

function frameOf(json: Json, skipped: (problem: string) => void): Result<Frame | RoomFrame> {
  const now = num(json["now"]);
  const offset = num(json["offset"]);
  const type = json["type"];
  switch (type) {
    case "snapshot": {
      const epoch = json["epoch"];
      if (typeof epoch !== "string" || offset < 0) return bad("a snapshot without epoch and offset");
      const rows = rowsOf(json["rows"], skipped);
      return good({ type, epoch, offset, now, reason: reasonOf(json["reason"]), rows });
    }
    case "rows":
      if (offset < 0) return bad("a frame of rows without offset");
      return good({ type, offset, now, rows: rowsOf(json["rows"], skipped), gone: goneOf(json["gone"], skipped) });
    case "elided":
      return good(elidedOf(json, now));
    case "bookmark":
      return offset < 0 ? bad("a bookmark without offset") : good({ type, offset, now });
    case "room":
      return good({ type, now, room: isObject(json["room"]) ? json["room"] : {} });
    case "error":
      return good({ type, code: str(json["code"]), message: str(json["message"]), now });
    default:
      return bad(`a frame of type ${JSON.stringify(type)}`);
  }
}

/** parseRow checks one row against the types generated from Go; missing lists and maps (Go's nil) become empty. */
export function parseRow(json: unknown): Result<Row> {
  if (!isObject(json)) return bad("a row that is not an object");
  const kind = json["row"];
  if (!isKind(kind)) return bad(`a row of kind ${JSON.stringify(kind)}`);
  const checked = objectCheck(objectOf[kind])(json);
  if (checked instanceof Misfit) return bad(`${kind} ${str(json["key"])}${checked.where} ${checked.what}`);
  // The table that the check has followed is generated together with the type.
  return good(checked as Row);
}

function isKind(kind: unknown): kind is RowKind {
  return typeof kind === "string" && Object.hasOwn(objectOf, kind);
}

/** What does not fit, and where in its row. The way there is put together only when there is something to tell. */
class Misfit {
  readonly what: string;
  readonly where: string;

  constructor(what: string, where = "") {
    this.what = what;
    this.where = where;
  }

  in(part: string): Misfit {
    return new Misfit(this.what, part + this.where);
  }
}

/** Gives the value as it is to be, the same one where nothing is to be mended, or a Misfit. */
type Check = (value: unknown) => unknown;

const checks = new Map<string, Check>();

/** The check of an object by its words in the schema, which are read once. */
function objectCheck(object: string): Check {
  return getOrInsert(checks, object, () => {
    const words = schema[object]?.split(" ") ?? [];
    const fields = words.map((word) => word.split(":")).map(([name = "", spec = ""]) => [name, checkOf(spec)] as const);
    return (value) => (isObject(value) ? checkFields(value, fields) : new Misfit("is not an object"));
  });
}

function checkFields(json: Json, fields: readonly (readonly [name: string, check: Check])[]): unknown {
  let fixed: Record<string, unknown> | undefined;
  for (const [name, check] of fields) {
    const value = json[name];
    const checked = check(value);
    if (checked instanceof Misfit) return checked.in(`.${name}`);
    if (checked === value) continue;
    fixed ??= { ...json };
    fixed[name] = checked;
  }
  return fixed ?? json;
}

function checkOf(spec: string): Check {
  if (spec.endsWith("?")) {
    const check = checkOf(spec.slice(0, -1));
    return (value) => (value === undefined ? value : check(value));
  }
  if (spec.endsWith("[]")) return listOf(checkOf(spec.slice(0, -2)));
  if (spec.endsWith("{}")) return mapOf(checkOf(spec.slice(0, -2)));
  if (spec === "number") return (value) => (Number.isFinite(value) ? value : new Misfit("is not a number"));
  if (spec === "" || spec === "boolean") {
    const type = spec || "string";
    return (value) => (typeof value === type ? value : new Misfit(`is not a ${type}`));
  }
  // An object may hold others of its kind: its check is looked for when one is there.
  return (value) => objectCheck(spec)(value);
}

function listOf(check: Check): Check {
  return (value) => {
    if (value === null || value === undefined) return [];
    if (!Array.isArray(value)) return new Misfit("is not a list");
    let fixed: unknown[] | undefined;
    for (const [i, item] of (value as unknown[]).entries()) {
      const checked = check(item);
      if (checked instanceof Misfit) return checked.in(`[${String(i)}]`);
      if (checked === item) continue;
      fixed ??= [...(value as unknown[])];
      fixed[i] = checked;
    }
    return fixed ?? value;
  };
}

function mapOf(check: Check): Check {
  return (value) => {
    if (value === null || value === undefined) return {};
    if (!isObject(value)) return new Misfit("is not a map");
    for (const [key, item] of Object.entries(value)) {
      const checked = check(item);
      if (checked instanceof Misfit) return checked.in(`.${key}`);
    }
    return value;
  };
}

function rowsOf(json: unknown, skipped: (problem: string) => void): Row[] {
  const rows: Row[] = [];
  for (const item of Array.isArray(json) ? json : []) {
    const result = parseRow(item);
    if (result.ok) rows.push(result.value);
    else skipped(result.problem);
  }
  return rows;
}

function goneOf(json: unknown, skipped: (problem: string) => void): RowRef[] {
  const gone: RowRef[] = [];
  for (const item of Array.isArray(json) ? json : []) {
    const ref = refOf(item);
    if (ref === undefined) skipped(`gone: ${JSON.stringify(item)} names no row`);
    else gone.push(ref);
  }
  return gone;
}

/** A row's name is "kind/key"; the key may hold slashes itself. */
function refOf(json: unknown): RowRef | undefined {
  const name = str(json);
  const cut = name.indexOf("/");
  const row = name.slice(0, Math.max(0, cut));
  return isKind(row) ? { row, key: name.slice(cut + 1) } : undefined;
}

function elidedOf(json: Json, now: number): ElidedFrame {
  const by: Record<string, number> = {};
  for (const [result, n] of Object.entries(isObject(json["by"]) ? json["by"] : {})) by[result] = Math.max(0, num(n));
  return { type: "elided", offset: num(json["offset"]), now, reconciles: Math.max(0, num(json["reconciles"])), by };
}

function reasonOf(json: unknown): SnapshotReason {
  return json === "lagged" || json === "epoch" || json === "filter" ? json : "start";
}

function isObject(json: unknown): json is Json {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

/** A number, or -1. */
function num(json: unknown): number {
  return typeof json === "number" && Number.isFinite(json) ? json : -1;
}

function str(json: unknown): string {
  return typeof json === "string" ? json : "";
}

function good<T>(value: T): Result<T> {
  return { ok: true, value };
}

function bad<T>(problem: string): Result<T> {
  return { ok: false, problem };
}
