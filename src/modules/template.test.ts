import { describe, expect, it } from 'vitest';
import { splitTemplate, typesIn } from './template.ts';

const html = `<style>a{}</style>
<script type="text/html" data-template-name="one">form</script>
<script data-template-name='it"s two' type="text/html">form</script>
<SCRIPT type="text/html" data-help-name="one"><p>help</p></SCRIPT>
<script type="text/html" data-help-name="one" data-lang="de"><p>Hilfe</p></script>
<script type="text/html" data-lang='de' data-help-name="two"><p>mehr</p></script>
<script>RED.nodes.registerType('one', {});</script>`;

it('finds the types that a template declares', () => {
  expect(typesIn(html)).toEqual(['one', 'it"s two']);
});

describe('splitTemplate', () => {
  it('takes the help out, by language', () => {
    const { main, help } = splitTemplate(html);
    expect(main).not.toContain('data-help-name');
    expect(main).toContain("registerType('one'");
    expect(main).toContain('data-template-name="one"');
    expect([...help.keys()]).toEqual(['en-US', 'de']);
    expect(help.get('en-US')).toBe('<SCRIPT type="text/html" data-help-name="one"><p>help</p></SCRIPT>');
    expect(help.get('de')).toContain('Hilfe');
    expect(help.get('de')).toContain('mehr');
  });

  it('leaves a template without help as it is', () => {
    expect(splitTemplate('<b>x</b>')).toEqual({ main: '<b>x</b>', help: new Map() });
  });
});
