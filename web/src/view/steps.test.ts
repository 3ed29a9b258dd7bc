import assert from "node:assert/strict";
import { test } from "node:test";
import { at, controller, pass, write } from "../../test/rows.ts";
import { Table } from "../model/table.ts";
import { arose } from "./steps.ts";
