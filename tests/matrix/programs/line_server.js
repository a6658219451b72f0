// Serves requests from standard input, one JSON object a line, and answers each with one line.
// Whatever a client library prints goes to standard error.
"use strict";

const fs = require("fs");
const readline = require("readline");

const BOOTSTRAP = process.argv[2];

console.log = console.error;

const toText = (data) => (data === null || data === undefined ? null : Buffer.from(data).toString("base64"));
const toBytes = (text) => (text === null ? null : Buffer.from(text, "base64"));

/** Headers as both clients take them: a name that comes twice has a list of values. */
function headersFrom(record) {
  const headers = {};
  for (const [name, value] of record.headers) (headers[name] ??= []).push(toBytes(value));
  return headers;
}

/** A record that was read, as the tests expect it; a client may give one header, or a list of them. */
function recordOf(message) {
  const headers = [];
  for (const [name, values] of Object.entries(message.headers ?? {})) {
    for (const value of Array.isArray(values) ? values : [values]) headers.push([name, toText(value)]);
  }
  return { key: toText(message.key), value: toText(message.value), headers };
}

/** What one member of a group has been through. */
class MemberLog {
  constructor() {
    this.assigned = new Set();
    this.history = [];
    this.values = [];
    this.error = null;
  }

  onAssigned(partitions) {
    partitions.forEach((partition) => this.assigned.add(partition));
    this.history.push(["assigned", [...partitions].sort()]);
  }

  onRevoked(partitions) {
    partitions.forEach((partition) => this.assigned.delete(partition));
    this.history.push(["revoked", [...partitions].sort()]);
  }

  onValue(value) {
    this.values.push(value.toString());
  }

  shown() {
    return { assigned: [...this.assigned], history: this.history, values: this.values, error: this.error };
  }
}

/** Write whole: a pipe may take less than is offered. */
function answer(result) {
  const line = Buffer.from(JSON.stringify(result) + "\n");
  for (let done = 0; done < line.length; ) {
    try {
      done += fs.writeSync(1, line, done);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

/** Answer until standard input ends. */
async function serve(handlers) {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    try {
      answer({ ok: (await handlers[request.do](request)) ?? null });
    } catch (error) {
      console.error(error);
      answer({ error: `${error.name}: ${error.message} ${error.type ?? error.code ?? ""}` });
    }
  }
  process.exit(0);
}

module.exports = { BOOTSTRAP, MemberLog, headersFrom, recordOf, serve, toBytes };
