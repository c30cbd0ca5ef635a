
CommandLineTool.main()
