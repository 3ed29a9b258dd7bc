import { readFile } from "node:fs/promises";
import { request } from "node:https";
import { join } from "node:path";

/** A Pod of the API server, as far as these tests look at it. */
export interface Pod {
  metadata: { name: string; ownerReferences?: { kind: string; name: string }[] };
}

/** Lists the Pods of a namespace straight from the API server, with the demo's own kubeconfig. */
export async function pods(data: string, namespace: string, owner: string): Promise<Pod[]> {
  const answer = await get(data, `/api/v1/namespaces/${namespace}/pods`);
  const { items } = JSON.parse(answer) as { items: Pod[] };
  return items.filter((pod) => pod.metadata.ownerReferences?.some((ref) => ref.name === owner) === true);
}

async function get(data: string, path: string): Promise<string> {
  const config = await readFile(join(data, "kubeconfig"), "utf8");
  const field = (name: string): string => new RegExp(`${name}: (\\S+)`).exec(config)?.[1] ?? "";
  const pem = (name: string): Buffer => Buffer.from(field(name), "base64");
  const options = {
    ca: pem("certificate-authority-data"),
    cert: pem("client-certificate-data"),
    key: pem("client-key-data"),
  };
  return new Promise((done, fail) => {
    const call = request(new URL(path, field("server")), options, (answer) => {
      let body = "";
      answer.on("data", (chunk: Buffer) => (body += chunk.toString()));
      answer.on("end", () => {
        done(body);
      });
    });
    call.on("error", fail).end();
  });
}
