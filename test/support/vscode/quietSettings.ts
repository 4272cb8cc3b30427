/**
 * User settings that keep a window quiet, offline and the same on every run.
 * `extensions.autoUpdate` is not among them: VS Code 1.139 rewrites settings.json at start when it finds it, sometimes with
 * an error toast.
 */
export const quietSettings: Readonly<Record<string, unknown>> = {
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
  'workbench.enableExperiments': false,
  'workbench.settings.enableNaturalLanguageSearch': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.reduceMotion': 'on',
  'window.commandCenter': false,
  'workbench.layoutControl.enabled': false,
  'chat.disableAIFeatures': true,
  'chat.commandCenter.enabled': false,
  'git.enabled': false,
  'git.autofetch': false,
  'editor.minimap.enabled': false,
  'npm.fetchOnlinePackageInfo': false,
  'typescript.disableAutomaticTypeAcquisition': true,
  'json.schemaDownload.enable': false,
  // The sample project has enough completed cases for a question in every window.
  'rollcall.notifications.suggestions': false,
};
