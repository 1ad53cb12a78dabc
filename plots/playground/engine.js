// SPDX-License-Identifier: LGPL-2.1-or-later
// The simulator, in a worker of its own: the page stays alive while it runs, and can end it.

/** Bytes of Ascii85 that has "v" for "<", as build_page.py writes it. */
function bytesOf85(text) {
  const bytes = new Uint8Array(Math.floor(text.length * 4 / 5));
  for (let at = 0, to = 0; at < text.length; at += 5) {
    let word = 0;
    for (let i = at; i < at + 5; ++i) {
      const code = i < text.length ? text.charCodeAt(i) : 117;  // padded with "u"
      word = word * 85 + (code === 118 ? 60 : code) - 33;
    }
    for (let shift = 24; shift >= 0; shift -= 8) bytes[to++] = word >>> shift;
  }
  return bytes;
}

/** A text of the page that is packed: Ascii85 of gzip. */
async function unpacked(id) {
  const bytes = bytesOf85(document.getElementById(id).textContent.trim());
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Runs in the worker, behind the program's loader: loads once, then answers all questions. */
function workerMain() {
  let program;
  const load = async ({wasm, files}) => {
    program = await loadSimulator({wasmBinary: wasm});
    for (const [path, text] of Object.entries(files)) {
      const parts = `/ringscope/${path}`.split("/");
      program.FS.mkdirTree(parts.slice(0, -1).join("/"));
      program.FS.writeFile(parts.join("/"), text);
    }
  };
  self.onmessage = async ({data}) => {
    try {
      if (data.load) await load(data.load);
      const text = data.request
        ? program.ccall("ringscope_answer", "string", ["string"], [data.request]) : "{}";
      self.postMessage({id: data.id, text});
    } catch (error) {
      self.postMessage({id: data.id, failed: String(error && error.message || error)});
    }
  };
}

/** Questions and answers as objects. A question of one kind replaces those that wait. */
class Engine {
  constructor() {
    this.waiting = new Map();
    this.count = 0;
    this.parts = this.read();
  }

  async read() {
    const [loader, wasm, files] = await Promise.all(["loader", "program", "files"].map(unpacked));
    return {loader, wasm, files: JSON.parse(new TextDecoder().decode(files))};
  }

  async start() {
    const {loader, wasm, files} = await this.parts;
    const source = new Blob([loader, `\n(${workerMain})()`], {type: "text/javascript"});
    this.worker = new Worker(URL.createObjectURL(source));
    this.worker.onmessage = ({data}) => {
      if (data.failed) {  // nothing of a program that has crashed can be trusted
        this.end(new Error(`The simulator stopped: ${data.failed}`));
        return;
      }
      this.waiting.get(data.id).resolve(JSON.parse(data.text));
      this.waiting.delete(data.id);
    };
    return this.send({load: {wasm, files}});
  }

  send(message) {
    const id = ++this.count;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, {resolve, reject});
      this.worker.postMessage({...message, id});
    });
  }

  /** Throws Error with the words for people where there is no answer. */
  async ask(request) {
    if (!this.ready) {  // later questions go to the worker at once
      this.started ||= this.start();
      await this.started;
      this.ready = true;
    }
    const answer = await this.send({request: JSON.stringify(request)});
    if (answer.error) throw new Error(answer.error);
    return answer;
  }

  /** Ends what runs; the next question starts anew. */
  stop() {
    if (this.worker && this.waiting.size) this.end(new Stopped());
  }

  /** All questions that wait get this error. */
  end(error) {
    this.worker.terminate();
    for (const {reject} of this.waiting.values()) reject(error);
    this.waiting.clear();
    this.started = undefined;
    this.ready = false;
  }
}

class Stopped extends Error {}
