/** Decimal places that the status shows where the settings file says nothing. */
const defaultDigits = 2;

module.exports = (RED) => {
  function RunningTotal(config) {
    RED.nodes.createNode(this, config);
    const property = config.property || 'payload';
    const digits = RED.settings.runningTotalDigits ?? defaultDigits;

    const total = () => this.context().get('total') ?? 0;
    const remember = (value) => {
      this.context().set('total', value);
      this.status({ fill: 'green', shape: 'dot', text: value.toFixed(digits) });
    };
    this.reset = () => remember(0);
    remember(total());

    this.on('input', (msg, send, done) => {
      if (msg.reset === true) {
        this.reset();
        return done();
      }
      const number = Number(RED.util.getMessageProperty(msg, property));
      if (Number.isNaN(number)) return done(new Error(RED._('running-total.errors.noNumber', { property })));
      remember(total() + number);
      RED.util.setMessageProperty(msg, property, total(), true);
      send(msg);
      done();
    });
  }

  RED.nodes.registerType('running-total', RunningTotal, {
    settings: { runningTotalDigits: { value: defaultDigits, exportable: true } },
  });

  // For the node's button in the editor.
  const mayReset = RED.auth.needsPermission('running-total.write');
  RED.httpAdmin.post('/running-total/:id/reset', mayReset, (request, response) => {
    const node = RED.nodes.getNode(request.params.id);
    if (node?.type !== 'running-total') return response.sendStatus(404);
    node.reset();
    response.sendStatus(204);
  });
};
