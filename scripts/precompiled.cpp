// A unit of its own for the headers that CMakeLists.txt compiles ahead.
