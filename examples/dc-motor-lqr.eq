# The DC motor with the gains of the linear-quadratic regulator for Q = diag(15, 2), R = 1.
# Veigend, PhD thesis (Brno 2023), sec. 6.1.4, Table 6.5.
param J = 0.01 [kg*m^2],    b = 0.1 [N*m*s]          # inertia, friction
param R = 1 [Ohm],          L = 0.5 [H]              # armature
param K_e = 0.01 [V*s/rad], K_T = 0.01 [N*m/A]       # back e.m.f., torque
param w = 0 [N*m]                                    # disturbance torque
param k1 = 0.109656754594337890 [V*s/rad]            # feedback of omega
param k2 = 0.763421887863008774 [V/A]                # feedback of i
param kr = 17.7538756332244256  [V*s/rad]            # for no static error
param omega_r = 0.5 [rad/s]

u = -k1*omega - k2*i + kr*omega_r [V]

J*omega' + b*omega = K_T*i - w
L*i'     + R*i     = u - K_e*omega

init omega = 0 [rad/s], i = 0 [A]
output e = omega_r - omega [rad/s]
run 0 .. 5
