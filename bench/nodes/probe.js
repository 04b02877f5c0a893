// Node types that count messages inside either system: `probe source` sends when asked over HTTP, `probe sink` counts.
module.exports = (RED) => {
  const sinks = new Map();

  function ProbeSink(config) {
    RED.nodes.createNode(this, config);
    const sink = { seen: 0, next: 0, onNext: undefined };
    sinks.set(config.probe, sink);
    this.on('input', (_msg, _send, done) => {
      sink.seen += 1;
      if (sink.seen >= sink.next && sink.onNext) sink.onNext();
      done();
    });
  }

  function ProbeSource(config) {
    RED.nodes.createNode(this, config);
    // Sends `count` messages, `window` at a time; `fanout` arrivals are expected for each.
    const run = (request, response) => {
      const count = Number(request.query.count);
      const window = Number(request.query.window ?? 500);
      const fanout = Number(request.query.fanout ?? 1);
      const payload = config.payload ? JSON.parse(config.payload) : undefined;
      const sink = sinks.get(config.probe);
      let sent = 0;
      sink.seen = 0;
      const begun = process.hrtime.bigint();
      const sendWindow = () => {
        const until = Math.min(count, sent + window);
        sink.next = until * fanout;
        while (sent < until) {
          sent += 1;
          this.send(
            payload ? { topic: 't', payload: structuredClone(payload) } : { topic: 't', payload: sent },
          );
        }
      };
      sink.onNext = () => {
        if (sent < count) return sendWindow();
        sink.onNext = undefined;
        response.json({ count, arrived: sink.seen, ms: Number(process.hrtime.bigint() - begun) / 1e6 });
      };
      sendWindow();
    };
    RED.httpNode.get(`/probe/${config.probe}`, run);
  }

  RED.nodes.registerType('probe sink', ProbeSink);
  RED.nodes.registerType('probe source', ProbeSource);
};
