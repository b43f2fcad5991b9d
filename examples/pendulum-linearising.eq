# A pendulum follows cos(omega*t): the controller cancels gravity, but friction only if c = d/m (then e -> 0).
# Veigend, PhD thesis (Brno 2023), sec. 6.2.3 (6.23)-(6.27); printed with c = 0, where phi tends to (2/3)*cos(t).
param m = 1 [kg], l = 2 [m], g = 10 [m/s^2]
param d = 1 [kg/s]                        # damping
param c = 0 [1/s]                         # compensation of damping
param k0 = 1 [1/s^2], k1 = 2 [1/s]
param A = 1 [rad], omega = 1 [rad/s]

set   =  A*cos(omega*t)
set_1 = -A*omega*sin(omega*t)             # its derivatives
set_2 = -A*omega^2*cos(omega*t)

v     = k0*(set - phi) + k1*(set_1 - phi') + set_2
u     = g/l*sin(phi) + c*phi' + v
phi'' = -d/m*phi' - g/l*sin(phi) + u

init phi = pi/2 [rad], phi' = 0 [rad/s]
output e = set - phi [rad]
run 0 .. 20
