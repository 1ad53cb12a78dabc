# Installation's own pages and completions, and `cpack` for a Debian package of the program.
install(CODE "
  set(root \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\")
  set(program \"${CMAKE_BINARY_DIR}/ringscope\")
  execute_process(COMMAND \"${CMAKE_CURRENT_LIST_DIR}/man_pages\" \"\${program}\"
    \"\${root}/man/man1\"
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND \"${CMAKE_CURRENT_LIST_DIR}/completions\" \"\${program}\"
    \"\${root}/bash-completion/completions/ringscope\" \"\${root}/zsh/site-functions/_ringscope\"
    COMMAND_ERROR_IS_FATAL ANY)")

set(CPACK_GENERATOR DEB)
# Without the replays: each is linked with one MPI, or with CUDA, of the cluster where it runs.
set(CPACK_COMPONENTS_ALL Unspecified)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGE_NAME ringscope)
set(CPACK_PACKAGE_CONTACT "The Ringscope developers <ringscope@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_FILE_NAME ringscope_${PROJECT_VERSION})
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
# What fits and draws is Python; run, compare, explain, sweep and place need none of it.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS
  "python3, python3-numpy, python3-scipy, python3-yaml, python3-tqdm, python3-matplotlib")
include(CPack)
