/**
 * Checks what comes from the network. A frame or row that does not fit is a Problem, not an exception: the
 * caller counts and reports it, and goes on with the rest.
 */
import type { ElidedFrame, Frame, RoomFrame, RowRef, SnapshotReason } from "./frames.ts";
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
  const checked = check(json, objectOf[kind], `${kind} ${str(json["key"])}`);
  // The table that check has followed is generated together with the type.
  return checked.ok ? good(checked.value as unknown as Row) : checked;
}

function isKind(kind: unknown): kind is RowKind {
  return typeof kind === "string" && Object.hasOwn(objectOf, kind);
}

function check(json: Json, object: string, path: string): Result<Json> {
  let fixed: Record<string, unknown> | undefined;
  for (const [name, spec] of fieldsOf(object)) {
    const value = json[name];
    const result = checkField(value, spec, `${path}.${name}`);
    if (!result.ok) return result;
    if (result.value === value) continue;
    fixed ??= { ...json };
    fixed[name] = result.value;
  }
  return good(fixed ?? json);
}

const fields = new Map<string, readonly (readonly [name: string, spec: string])[]>();

/** The schema's words of an object, read once. */
function fieldsOf(object: string): readonly (readonly [name: string, spec: string])[] {
  let known = fields.get(object);
  if (known === undefined) {
    const words = schema[object]?.split(" ") ?? [];
    known = words.map((word) => word.split(":")).map(([name = "", spec = ""]) => [name, spec] as const);
    fields.set(object, known);
  }
  return known;
}

function checkField(value: unknown, spec: string, path: string): Result<unknown> {
  if (spec.endsWith("?")) return value === undefined ? good(value) : checkField(value, spec.slice(0, -1), path);
  if (spec.endsWith("[]")) return checkList(value, spec.slice(0, -2), path);
  if (spec.endsWith("{}")) return checkMap(value, spec.slice(0, -2), path);
  if (spec === "number") return Number.isFinite(value) ? good(value) : bad(`${path} is not a number`);
  if (spec === "" || spec === "boolean") {
    const type = spec || "string";
    return typeof value === type ? good(value) : bad(`${path} is not a ${type}`);
  }
  return isObject(value) ? check(value, spec, path) : bad(`${path} is not an object`);
}

function checkList(value: unknown, spec: string, path: string): Result<unknown> {
  if (value === null || value === undefined) return good([]);
  if (!Array.isArray(value)) return bad(`${path} is not a list`);
  let fixed: unknown[] | undefined;
  for (const [i, item] of value.entries()) {
    const result = checkField(item, spec, `${path}[${String(i)}]`);
    if (!result.ok) return result;
    if (result.value === item) continue;
    fixed ??= [...(value as unknown[])];
    fixed[i] = result.value;
  }
  return good(fixed ?? value);
}

function checkMap(value: unknown, spec: string, path: string): Result<unknown> {
  if (value === null || value === undefined) return good({});
  if (!isObject(value)) return bad(`${path} is not a map`);
  for (const [key, item] of Object.entries(value)) {
    const result = checkField(item, spec, `${path}.${key}`);
    if (!result.ok) return result;
  }
  return good(value);
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
  if (isObject(json)) return isKind(json["row"]) ? { row: json["row"], key: str(json["key"]) } : undefined;
  const [, kind, key] = /^([a-z]+)[/: ](.+)$/s.exec(str(json)) ?? [];
  return isKind(kind) && key !== undefined ? { row: kind, key } : undefined;
}

function elidedOf(json: Json, now: number): ElidedFrame {
  const by: Record<string, number> = {};
  for (const [result, n] of Object.entries(isObject(json["by"]) ? json["by"] : {})) by[result] = Math.max(0, num(n));
  const [from, to, offset] = [num(json["from"]), num(json["to"]), num(json["offset"])];
  return { type: "elided", from, to, offset, now, reconciles: Math.max(0, num(json["reconciles"])), by };
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
