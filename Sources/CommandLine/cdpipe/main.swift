import CDPipeCommands

CommandLineTool.main()
