import type { Logger } from '../../logging/logger.ts';
import type { Settings } from '../../settings/settings.ts';
import { CredentialFile } from '../../storage/credential-file.ts';
import { FlowFile, locateCredentialFile, locateFlowFile } from '../../storage/flow-file.ts';
import type { RuntimeConfig } from '../../storage/runtime-config.ts';
import { FlowStore } from './store.ts';

/** The flow file and its credentials, where the settings say they are. Nothing is read yet. */
export function openFlowStore(settings: Settings, runtime: RuntimeConfig, log: Logger): FlowStore {
  const { userDir, readOnly, flowFilePretty: pretty } = settings;
  const path = locateFlowFile({
    userDir,
    flowFile: settings.flowFile,
    isDefault: !settings.configured.has('flowFile'),
    cwd: process.cwd(),
  });
  const flowFile = new FlowFile({ path, pretty, readOnly, log });
  const credentialFile = new CredentialFile({
    path: settings.credentialsFile ?? locateCredentialFile(path, userDir),
    pretty,
    readOnly,
    secret: settings.credentialSecret,
    runtime,
    log,
  });
  return new FlowStore({ flowFile, credentialFile, log });
}
