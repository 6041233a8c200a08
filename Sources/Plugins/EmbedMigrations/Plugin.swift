import PackagePlugin
@main struct EmbedMigrations: BuildToolPlugin { func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] { [] } }
