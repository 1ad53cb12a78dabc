! The program of halo.c in Fortran, by its module mpi or, compiled with -DWITH_F08, by mpi_f08:
! what is recorded of it must be what is recorded of that.
!
!   halo STEPS HALO_BYTES SUM_NUMBERS BROADCAST_BYTES
#ifdef WITH_F08
#define HANDLE(kind) type(kind)
#define MODULE_OF_MPI mpi_f08
#else
#define HANDLE(kind) integer
#define MODULE_OF_MPI mpi
#endif
program halo_in_fortran
  use MODULE_OF_MPI
  implicit none
  integer :: bytes, numbers, told_bytes, steps, step, rank, ranks, left, right, error
  character, allocatable :: data(:, :), told(:)
  double precision, allocatable :: sum(:)
  HANDLE(MPI_Comm) :: half

  call MPI_Init(error)
  steps = word(1)
  bytes = word(2)
  numbers = word(3)
  told_bytes = word(4)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  left = modulo(rank - 1, ranks)
  right = modulo(rank + 1, ranks)
  allocate (data(bytes, 4), sum(numbers), told(told_bytes))
  data = 'x'
  sum = rank
  told = 'y'
  call MPI_Comm_split(MPI_COMM_WORLD, modulo(rank, 2), rank, half, error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  do step = 1, steps
    call exchange()
    call MPI_Allreduce(MPI_IN_PLACE, sum, numbers, MPI_DOUBLE_PRECISION, MPI_SUM, &
                       MPI_COMM_WORLD, error)
    call MPI_Bcast(told, told_bytes, MPI_CHARACTER, 0, half, error)
  end do
  call MPI_Barrier(MPI_COMM_WORLD, error)
  if (nint(sum(1)) /= ranks**(steps - 1) * (ranks * (ranks - 1) / 2)) &
    call MPI_Abort(MPI_COMM_WORLD, 1, error)
  call from_bottom()
  call MPI_Comm_free(half, error)
  call MPI_Finalize(error)

contains

  integer function word(number)
    integer, intent(in) :: number
    character(len=32) :: text
    call get_command_argument(number, text)
    read (text, *) word
  end function word

  subroutine exchange()
    HANDLE(MPI_Request) :: all(4)
    call MPI_Irecv(data(1, 3), bytes, MPI_CHARACTER, left, 1, MPI_COMM_WORLD, all(1), error)
    call MPI_Irecv(data(1, 4), bytes, MPI_CHARACTER, right, 2, MPI_COMM_WORLD, all(2), error)
    call MPI_Isend(data(1, 2), bytes, MPI_CHARACTER, right, 1, MPI_COMM_WORLD, all(3), error)
    call MPI_Isend(data(1, 1), bytes, MPI_CHARACTER, left, 2, MPI_COMM_WORLD, all(4), error)
    call MPI_Waitall(4, all, MPI_STATUSES_IGNORE, error)
  end subroutine exchange

  ! A vector by its absolute address: it has to come out of the library's MPI_BOTTOM.
  subroutine from_bottom()
    integer(kind=MPI_ADDRESS_KIND) :: places(1)
    HANDLE(MPI_Datatype) :: absolute
    double precision :: all
    all = sum(1)
    call MPI_Get_address(sum, places(1), error)
    call MPI_Type_create_hindexed(1, [1], places, MPI_DOUBLE_PRECISION, absolute, error)
    call MPI_Type_commit(absolute, error)
    if (rank /= 0) sum = 0
    call MPI_Bcast(MPI_BOTTOM, 1, absolute, 0, MPI_COMM_WORLD, error)
    if (abs(sum(1) - all) > 0) call MPI_Abort(MPI_COMM_WORLD, 1, error)
    call MPI_Type_free(absolute, error)
  end subroutine from_bottom
end program halo_in_fortran
